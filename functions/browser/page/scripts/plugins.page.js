// @ts-check
import { apply, create, defineProperty, replace } from './native.page.js';

const NAMES = [
  'PDF Viewer',
  'Chrome PDF Viewer',
  'Chromium PDF Viewer',
  'Microsoft Edge PDF Viewer',
  'WebKit built-in PDF',
];
const TYPES_OF_PDF = ['application/pdf', 'text/pdf'];
const description = 'Portable Document Format';
const NativeTypeError = TypeError;

/** @typedef {{ name: string, prototype: object }} Kind */
/** @typedef {{ kind: Kind, items: object[], names: string[] } & Record<string, unknown>} State */

// A private field marks an object without adding a property.
class Branded
  extends /** @type {new (object: object) => object} */ (
    /** @type {unknown} */ (
      /** @param {object} object */
      function (object) {
        return object;
      }
    )
  )
{
  /** @type {State} */
  #state;
  /**
   * @param {object} object
   * @param {State} state
   */
  constructor(object, state) {
    super(object);
    this.#state = state;
  }
  /**
   * @param {unknown} object
   * @param {Kind} kind
   */
  static stateOf(object, kind) {
    const isOurs = typeof object === 'object' && object !== null && #state in object;
    return isOurs && object.#state.kind === kind ? object.#state : undefined;
  }
}
const { stateOf } = Branded;

/** @type {(kind: Kind, state: Record<string, unknown>) => object} */
const made = (kind, state) => new Branded(create(kind.prototype), { items: [], names: [], ...state, kind });

/** @type {(kind: Kind, items: object[], names: string[], state?: Record<string, unknown>) => object} */
const list = (kind, items, names, state) => {
  const object = made(kind, { ...state, items, names });
  for (let index = 0; index < items.length; index += 1)
    defineProperty(object, index, { value: items[index], enumerable: true, configurable: true });
  for (let index = 0; index < items.length; index += 1)
    defineProperty(object, names[index] ?? '', { value: items[index], configurable: true });
  return object;
};

/** @param {string | undefined} type */
const mimeType = (type) => made(MimeType, { type, suffixes: 'pdf', description });
const mimeTypesOfPdf = () => [mimeType(TYPES_OF_PDF[0]), mimeType(TYPES_OF_PDF[1])];
/** @param {string | undefined} name */
const plugin = (name) =>
  list(Plugin, mimeTypesOfPdf(), TYPES_OF_PDF, { name, filename: 'internal-pdf-viewer', description });

/** @typedef {(state: State, args: unknown[], native: Function) => unknown} Answer */

/** @type {(kind: Kind, name: string, answer: Answer) => void} */
const answerFor = (kind, name, answer) =>
  replace(kind.prototype, name, (self, args, native) => {
    const state = stateOf(self, kind);
    return state ? answer(state, args, native) : apply(native, self, args);
  });

/** The same list in every browser with a PDF viewer: https://html.spec.whatwg.org/multipage/system-state.html#pdf-viewing-support */
export function addPlugins() {
  for (const kind of [PluginArray, MimeTypeArray, Plugin]) answerAsList(kind);
  answerFor(PluginArray, 'refresh', () => undefined);
  for (const name of ['name', 'filename', 'description']) answerFor(Plugin, name, (state) => state[name]);
  for (const name of ['type', 'suffixes', 'description']) answerFor(MimeType, name, (state) => state[name]);
  // Chrome creates a new object each time.
  answerFor(MimeType, 'enabledPlugin', () => plugin(NAMES[0]));

  const mimeTypes = list(MimeTypeArray, mimeTypesOfPdf(), TYPES_OF_PDF);
  const plugins = list(
    PluginArray,
    NAMES.map((name) => plugin(name)),
    NAMES,
  );
  for (const [name, value] of Object.entries({ plugins, mimeTypes, pdfViewerEnabled: true }))
    replace(Navigator.prototype, name, (self, args, native) => {
      apply(native, self, args);
      return value;
    });
}

/** @param {Kind} kind */
function answerAsList(kind) {
  answerFor(kind, 'length', ({ items }) => items.length);
  answerFor(kind, 'item', ({ items }, args) => {
    if (args.length === 0) throw missing(kind, 'item');
    const index = /** @type {number} */ (args[0]) >>> 0;
    return index < items.length ? items[index] : null;
  });
  answerFor(kind, 'namedItem', ({ items, names }, args) => {
    if (args.length === 0) throw missing(kind, 'namedItem');
    const name = `${/** @type {string} */ (args[0])}`;
    for (let index = 0; index < items.length; index += 1) if (names[index] === name) return items[index];
    return null;
  });
}

/** @type {(kind: Kind, method: string) => TypeError} */
const missing = ({ name }, method) =>
  new NativeTypeError(`Failed to execute '${method}' on '${name}': 1 argument required, but only 0 present.`);
