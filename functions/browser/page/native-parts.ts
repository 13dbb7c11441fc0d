import type { Device } from '../../../shared/contract/scrape/scrape-request.ts';

/** What headless Chromium lacks, for a script with `LIKE_NATIVE`. */
export const nativeParts = (device: Device) =>
  device === 'desktop' ? CHROME + APP + PLUGINS : CHROME + ON_ANDROID;

/** As in https://chromium.googlesource.com/chromium/src/+/HEAD/chrome/renderer/loadtimes_extension_bindings.cc */
const CHROME = /* js */ `
const clock = performance;
const { now: readClock, getEntriesByType } = Performance.prototype;
const { toJSON } = PerformanceNavigationTiming.prototype;
const [navigationEntry] = apply(getEntriesByType, clock, ['navigation']);
const { timeOrigin } = clock;
const navigation = () => (navigationEntry ? apply(toJSON, navigationEntry, []) : { type: 'navigate', nextHopProtocol: '' });
const paintTime = () => apply(getEntriesByType, clock, ['paint'])[0]?.startTime;
const secondsAt = (ms) => (ms ? (timeOrigin + ms) / 1000 : 0);
const TYPES = { __proto__: null, reload: 'Reload', back_forward: 'BackForward' };
const chrome = {};
chrome.loadTimes = likeNative(function () {}, () => {
  const { type, nextHopProtocol, ...at } = navigation();
  const isMultiplexed = nextHopProtocol === 'h2' || nextHopProtocol === 'h3';
  const isNamed = isMultiplexed || nextHopProtocol === 'http/1.1';
  return {
    requestTime: timeOrigin / 1000,
    startLoadTime: timeOrigin / 1000,
    commitLoadTime: secondsAt(at.responseStart),
    finishDocumentLoadTime: secondsAt(at.domContentLoadedEventEnd),
    finishLoadTime: secondsAt(at.loadEventEnd),
    firstPaintTime: secondsAt(paintTime()),
    firstPaintAfterLoadTime: 0,
    navigationType: TYPES[type] ?? 'Other',
    wasFetchedViaSpdy: isMultiplexed,
    wasNpnNegotiated: isMultiplexed,
    npnNegotiatedProtocol: isMultiplexed ? nextHopProtocol : 'unknown',
    wasAlternateProtocolAvailable: false,
    connectionInfo: isNamed ? nextHopProtocol : 'unknown',
  };
});
const { floor } = Math;
const TRANSITIONS = { __proto__: null, reload: 16, back_forward: 6 };
chrome.csi = likeNative(function () {}, () => {
  const { type, domContentLoadedEventEnd: parsed } = navigation();
  const onloadT = parsed ? floor(timeOrigin + parsed) : 0;
  return { onloadT, startE: floor(timeOrigin), pageT: apply(readClock, clock, []), tran: TRANSITIONS[type] ?? 15 };
});
defineProperty(window, 'chrome', { value: chrome, writable: true, enumerable: true, configurable: false });
`;

/** Not in Chrome for Android: shared workers and speaker selection. */
const ON_ANDROID = /* js */ `
delete window.SharedWorker;
delete HTMLMediaElement.prototype.sinkId;
delete HTMLMediaElement.prototype.setSinkId;
`;

const APP = /* js */ `
chrome.app = {
  isInstalled: false,
  getDetails: likeNative(function getDetails() {}, () => null),
  getIsInstalled: likeNative(function getIsInstalled() {}, () => false),
  installState: likeNative(function installState() {}, (_, [callback]) => void callback?.('not_installed')),
  runningState: likeNative(function runningState() {}, () => 'cannot_run'),
  InstallState: { DISABLED: 'disabled', INSTALLED: 'installed', NOT_INSTALLED: 'not_installed' },
  RunningState: { CANNOT_RUN: 'cannot_run', READY_TO_RUN: 'ready_to_run', RUNNING: 'running' },
};
`;

/** The same list in every browser with a PDF viewer: https://html.spec.whatwg.org/multipage/system-state.html#pdf-viewing-support */
const PLUGINS = /* js */ `
const NAMES = ['PDF Viewer', 'Chrome PDF Viewer', 'Chromium PDF Viewer', 'Microsoft Edge PDF Viewer', 'WebKit built-in PDF'];
const description = 'Portable Document Format';

// A private field marks an object without adding a property.
class Branded extends (function (object) { return object; }) {
  #state;
  constructor(object, state) {
    super(object);
    this.#state = state;
  }
  static stateOf(object, kind) {
    const isOurs = typeof object === 'object' && object !== null && #state in object;
    return isOurs && object.#state.kind === kind ? object.#state : undefined;
  }
}
const { stateOf } = Branded;
const made = (kind, state) => new Branded(create(kind.prototype), { ...state, kind });
const list = (kind, items, names, state) => {
  const object = made(kind, { ...state, items, names });
  for (let index = 0; index < items.length; index += 1)
    defineProperty(object, index, { value: items[index], enumerable: true, configurable: true });
  for (let index = 0; index < items.length; index += 1)
    defineProperty(object, names[index], { value: items[index], configurable: true });
  return object;
};
const TYPES_OF_PDF = ['application/pdf', 'text/pdf'];
const mimeType = (type) => made(MimeType, { type, suffixes: 'pdf', description });
const plugin = (name) =>
  list(Plugin, [mimeType(TYPES_OF_PDF[0]), mimeType(TYPES_OF_PDF[1])], TYPES_OF_PDF, { name, filename: 'internal-pdf-viewer', description });
const mimeTypes = list(MimeTypeArray, [mimeType(TYPES_OF_PDF[0]), mimeType(TYPES_OF_PDF[1])], TYPES_OF_PDF);
const plugins = list(PluginArray, [plugin(NAMES[0]), plugin(NAMES[1]), plugin(NAMES[2]), plugin(NAMES[3]), plugin(NAMES[4])], NAMES);

const NativeTypeError = TypeError;
const missing = ({ name }, method) =>
  new NativeTypeError(\`Failed to execute '\${method}' on '\${name}': 1 argument required, but only 0 present.\`);
const answerFor = (kind, name, answer) =>
  replace(kind.prototype, name, (self, args, native) => {
    const state = stateOf(self, kind);
    return state ? answer(state, args, native) : apply(native, self, args);
  });
for (const kind of [PluginArray, MimeTypeArray, Plugin]) {
  answerFor(kind, 'length', ({ items }) => items.length);
  answerFor(kind, 'item', ({ items }, args) => {
    if (args.length === 0) throw missing(kind, 'item');
    const index = args[0] >>> 0;
    return index < items.length ? items[index] : null;
  });
  answerFor(kind, 'namedItem', ({ items, names }, args) => {
    if (args.length === 0) throw missing(kind, 'namedItem');
    const name = \`\${args[0]}\`;
    for (let index = 0; index < items.length; index += 1) if (names[index] === name) return items[index];
    return null;
  });
}
answerFor(PluginArray, 'refresh', () => undefined);
for (const name of ['name', 'filename', 'description']) answerFor(Plugin, name, (state) => state[name]);
for (const name of ['type', 'suffixes', 'description']) answerFor(MimeType, name, (state) => state[name]);
// Chrome creates a new object each time.
answerFor(MimeType, 'enabledPlugin', () => plugin(NAMES[0]));

for (const [name, value] of [['plugins', plugins], ['mimeTypes', mimeTypes], ['pdfViewerEnabled', true]])
  replace(Navigator.prototype, name, (self, args, native) => {
    apply(native, self, args);
    return value;
  });
`;
