import type { ChildNode, Document, Element } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { elementsOf, find } from '../../html/tree.ts';
import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import { parseXml } from '../../html/parse-xml.ts';
import { type Cell, element, escaped, linked, pageOf, tableOf } from './html.ts';
import type { Reading } from './reading.ts';
import { aboutIn, all, attribute, childOf, childrenOf, countIn, firstOf, local } from './xml.ts';
import { openZip } from './zip.ts';

type Notes = { words: string[]; orderedLists: ReadonlySet<string> };

/** Reads a text document of OpenDocument 1.3. Notes stand at its end. */
export function readOdt(bytes: Uint8Array): Reading {
  const archive = openZip(bytes);
  const manifest = parseXml(archive.text('META-INF/manifest.xml'));
  if (firstOf(manifest, 'encryption-data')) throw new NotConvertible('encrypted', 'ODT');
  const content = parseXml(archive.text('content.xml'));
  const styles = parseXml(archive.text('styles.xml'));
  const root = find(content, ({ name }) => name === 'office:text');
  if (root === undefined) throw new NotConvertible('broken', 'ODT');
  const notes: Notes = { words: [], orderedLists: new Set([...orderedIn(styles), ...orderedIn(content)]) };
  const body = blocksOf(root, notes);
  const end =
    notes.words.length === 0 ? '' : element('ol', notes.words.map((note) => element('li', note)).join(''));
  const about = aboutIn(parseXml(archive.text('meta.xml')));
  return { html: pageOf(body + end, about), kind: 'text', pages: 1, read: 1 };
}

/** Names of list styles whose first level has numbers. */
function orderedIn(xml: Document): string[] {
  return all(xml, 'list-style')
    .filter(
      (style) => elementsOf(style)[0] && local(elementsOf(style)[0] as Element) === 'list-level-style-number',
    )
    .flatMap((style) => attribute(style, 'name') ?? []);
}

/** Parts that hold no text of their own, or text that was deleted. */
const SKIPPED: ReadonlySet<string> = new Set(
  'tracked-changes annotation annotation-end sequence-decls forms variable-decls user-field-decls'.split(' '),
);

function blocksOf(parent: Element, notes: Notes): string {
  return elementsOf(parent)
    .map((each) => blockOf(each, notes))
    .join('');
}

function blockOf(block: Element, notes: Notes): string {
  const name = local(block);
  if (SKIPPED.has(name)) return '';
  switch (name) {
    case 'h':
      return element(`h${countIn(block, 'outline-level', 6)}`, inlineOf(block, notes));
    case 'p': {
      const inner = inlineOf(block, notes);
      const title = /^Title$/.test(attribute(block, 'style-name') ?? '');
      return inner.trim() === '' ? '' : element(title ? 'h1' : 'p', inner);
    }
    case 'list':
      return listOf(block, notes, attribute(block, 'style-name'));
    case 'table':
      return tableOf(rowsOf(block, notes));
    default:
      return blocksOf(block, notes);
  }
}

/** A list in a list has the style of the outer one. */
function listOf(list: Element, notes: Notes, style: string | undefined): string {
  const items = childrenOf(list, 'list-item', 'list-header').map((item) => {
    const parts = elementsOf(item).map((each) => {
      if (local(each) === 'list') return listOf(each, notes, attribute(each, 'style-name') ?? style);
      return local(each) === 'p' && childrenOf(item, 'p').length === 1
        ? inlineOf(each, notes)
        : blockOf(each, notes);
    });
    return element('li', parts.join(''));
  });
  return element(notes.orderedLists.has(style ?? '') ? 'ol' : 'ul', items.join(''));
}

/** Empty rows and columns are repeated to the end of a sheet. */
const MAX_REPEATS = 100;

function rowsOf(table: Element, notes: Notes): Cell[][] {
  const rows = elementsOf(table).flatMap((each): Cell[][] => {
    if (local(each) !== 'table-row')
      return /^table-(?:header-)?rows?|row-group$/.test(local(each)) ? rowsOf(each, notes) : [];
    const cells = childrenOf(each, 'table-cell').flatMap((cell) => {
      const spans = {
        colspan: countIn(cell, 'number-columns-spanned', 1_000),
        rowspan: countIn(cell, 'number-rows-spanned', 1_000),
      };
      const paragraphs = elementsOf(cell).map((block) =>
        local(block) === 'p' ? inlineOf(block, notes) : blockOf(block, notes),
      );
      const shown = { html: paragraphs.join('<br>'), ...spans };
      return Array.from({ length: countIn(cell, 'number-columns-repeated', MAX_REPEATS) }, () => shown);
    });
    return Array.from({ length: countIn(each, 'number-rows-repeated', MAX_REPEATS) }, () => cells);
  });
  return rows;
}

function inlineOf(parent: Element, notes: Notes): string {
  return parent.children.map((child) => nodeOf(child, notes)).join('');
}

function nodeOf(node: ChildNode, notes: Notes): string {
  if (isText(node)) return escaped(node.data.replaceAll(/\s+/g, ' '));
  if (!isTag(node) || SKIPPED.has(local(node))) return '';
  switch (local(node)) {
    case 's':
      return ' ';
    case 'tab':
      return ' ';
    case 'line-break':
      return '<br>';
    case 'a':
      return linked(inlineOf(node, notes), attribute(node, 'href'));
    case 'note': {
      const body = childOf(node, 'note-body');
      if (body)
        notes.words.push(
          childrenOf(body, 'p')
            .map((each) => inlineOf(each, notes))
            .join('<br>'),
        );
      return element('sup', String(notes.words.length));
    }
    default:
      return inlineOf(node, notes);
  }
}
