import type { ChildNode, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { outerHtml } from '../../html/outer-html.ts';
import { elementsOf, find, findAll } from '../../html/tree.ts';
import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import { parseXml } from '../../html/parse-xml.ts';
import { type Cell, element, escaped, linked, pageOf, tableOf } from './html.ts';
import { type OdtStyles, stylesIn } from './odt-styles.ts';
import type { Reading } from './reading.ts';
import { aboutIn, attribute, childOf, childrenOf, countIn, firstOf, local } from './xml.ts';
import { openZip, resolvedName } from './zip.ts';

type Reader = {
  styles: OdtStyles;
  formula: (href: string) => string;
  notes: string[];
  /** Text of shapes in a paragraph, which follows it. */
  boxes: string[];
  /** The last numbers of lists, by their styles and by their own names. */
  numbers: Map<string, number>;
};

/** Reads a text document of OpenDocument 1.3. Notes stand at its end. */
export function readOdt(bytes: Uint8Array): Reading {
  const archive = openZip(bytes);
  const manifest = parseXml(archive.text('META-INF/manifest.xml'));
  if (firstOf(manifest, 'encryption-data')) throw new NotConvertible('encrypted', 'ODT');
  const content = parseXml(archive.text('content.xml'));
  const styles = stylesIn(parseXml(archive.text('styles.xml')), content);
  const root = find(content, ({ name }) => name === 'office:text');
  if (root === undefined) throw new NotConvertible('broken', 'ODT');
  const formula = (href: string) =>
    mathIn(archive.text(`${resolvedName('', href.replace(/\/$/, ''))}/content.xml`));
  const reader: Reader = { styles, formula, notes: [], boxes: [], numbers: new Map() };
  const body = blocksOf(root, reader);
  const notes = reader.notes.map((note) => element('li', note)).join('');
  const about = aboutIn(parseXml(archive.text('meta.xml')));
  const html = pageOf(body + (notes === '' ? '' : element('ol', notes)), about);
  return { html, kind: 'text', pages: 1, read: 1 };
}

/** A formula is a document of MathML. */
function mathIn(xml: string): string {
  const math = firstOf(parseXml(xml), 'math');
  if (math === undefined) return '';
  for (const each of [math, ...findAll(math, () => true)]) each.name = local(each);
  return outerHtml(math);
}

/** Parts that hold no text of their own, or text that was deleted. */
const SKIPPED: ReadonlySet<string> = new Set(
  [
    'tracked-changes annotation annotation-end sequence-decls forms variable-decls user-field-decls',
    'hidden-text svg:title svg:desc',
  ].flatMap((line) => line.split(' ')),
);

function blocksOf(parent: Element, reader: Reader): string {
  return elementsOf(parent)
    .map((each) => blockOf(each, reader))
    .join('');
}

function blockOf(block: Element, reader: Reader): string {
  const name = local(block);
  const style = attribute(block, 'style-name');
  if (SKIPPED.has(name)) return '';
  switch (name) {
    case 'h':
      return paragraphOf(block, reader, `h${countIn(block, 'outline-level', 6)}`);
    case 'p':
      return paragraphOf(block, reader, reader.styles.isTitle(style) ? 'h1' : 'p');
    case 'list':
      return listOf(block, reader, { style, level: 1 });
    case 'table':
      return tableOf(rowsOf(block, reader));
    default:
      return blocksOf(block, reader);
  }
}

/** A paragraph, alone or as an element of HTML, and the text of its shapes. */
function paragraphOf(block: Element, reader: Reader, name?: string): string {
  if (reader.styles.isHidden(attribute(block, 'style-name'))) return '';
  const outer = reader.boxes;
  reader.boxes = [];
  const inner = inlineOf(block, reader);
  const boxes = reader.boxes.join('');
  reader.boxes = outer;
  const isShown = name === undefined || inner.trim() !== '';
  return (isShown ? (name === undefined ? inner : element(name, inner)) : '') + boxes;
}

type ListPlace = { style: string | undefined; level: number };

/** A list in a list has the style of the outer one. */
function listOf(list: Element, reader: Reader, { style = '', level }: ListPlace): string {
  const items = childrenOf(list, 'list-item', 'list-header').map((item) => {
    const parts = elementsOf(item).map((each) => {
      const own = attribute(each, 'style-name') ?? style;
      if (local(each) === 'list') return listOf(each, reader, { style: own, level: level + 1 });
      const isAlone = local(each) === 'p' && childrenOf(item, 'p').length === 1;
      return isAlone ? paragraphOf(each, reader) : blockOf(each, reader);
    });
    return element('li', parts.join(''));
  });
  const first = reader.styles.firstNumber(style, level);
  if (first === undefined) return element('ul', items.join(''));
  const start = startOf(list, reader, style) ?? first;
  for (const name of [style, attribute(list, 'id') ?? ''])
    if (level === 1) reader.numbers.set(name, start + items.length - 1);
  return `<ol${start > 1 ? ` start="${start}"` : ''}>${items.join('')}</ol>`;
}

/** The number of the first item where the list or the item says it. */
function startOf(list: Element, { numbers }: Reader, style: string): number | undefined {
  const item = childOf(list, 'list-item');
  const own = Number(item && attribute(item, 'start-value'));
  if (own > 0) return own;
  const continued = attribute(list, 'continue-list');
  const isContinued = continued !== undefined || attribute(list, 'continue-numbering') === 'true';
  const last = isContinued ? (numbers.get(continued ?? style) ?? numbers.get(style)) : undefined;
  return last === undefined ? undefined : last + 1;
}

/** Empty rows and columns are repeated to the end of a sheet. */
const MAX_REPEATS = 100;

function rowsOf(table: Element, reader: Reader): Cell[][] {
  const rows = elementsOf(table).flatMap((each): Cell[][] => {
    if (local(each) !== 'table-row')
      return /^table-(?:header-)?rows?|row-group$/.test(local(each)) ? rowsOf(each, reader) : [];
    const cells = childrenOf(each, 'table-cell').flatMap((cell) => {
      const spans = {
        colspan: countIn(cell, 'number-columns-spanned', 1_000),
        rowspan: countIn(cell, 'number-rows-spanned', 1_000),
      };
      const paragraphs = elementsOf(cell).map((block) =>
        local(block) === 'p' ? paragraphOf(block, reader) : blockOf(block, reader),
      );
      const shown = { html: paragraphs.join('<br>'), ...spans };
      return Array.from({ length: countIn(cell, 'number-columns-repeated', MAX_REPEATS) }, () => shown);
    });
    return Array.from({ length: countIn(each, 'number-rows-repeated', MAX_REPEATS) }, () => cells);
  });
  return rows;
}

function inlineOf(parent: Element, reader: Reader): string {
  return parent.children.map((child) => nodeOf(child, reader)).join('');
}

function nodeOf(node: ChildNode, reader: Reader): string {
  if (isText(node)) return escaped(node.data.replaceAll(/\s+/g, ' '));
  if (!isTag(node) || SKIPPED.has(local(node)) || SKIPPED.has(node.name)) return '';
  const style = attribute(node, 'style-name');
  switch (local(node)) {
    case 's':
    case 'tab':
      return ' ';
    case 'p':
    case 'h':
    case 'list':
    case 'table':
      reader.boxes.push(blockOf(node, reader));
      return '';
    case 'object':
      return reader.formula(attribute(node, 'href') ?? '');
    case 'ruby':
      return element('ruby', inlineOf(node, reader));
    case 'ruby-text':
      return element('rt', inlineOf(node, reader));
    case 'span':
      return reader.styles.isHidden(style) ? '' : marked(inlineOf(node, reader), reader.styles.marks(style));
    case 'line-break':
      return '<br>';
    case 'a':
      return linked(inlineOf(node, reader), attribute(node, 'href'));
    case 'note': {
      const body = childOf(node, 'note-body');
      if (body)
        reader.notes.push(
          childrenOf(body, 'p')
            .map((each) => inlineOf(each, reader))
            .join('<br>'),
        );
      return element('sup', String(reader.notes.length));
    }
    default:
      return inlineOf(node, reader);
  }
}

const marked = (inner: string, marks: readonly string[]) =>
  inner.trim() === '' ? inner : marks.reduce((html, mark) => element(mark, html), inner);
