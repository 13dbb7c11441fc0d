import type { Document, Element } from 'domhandler';
import { elementsOf, find, rawText } from '../../html/tree.ts';
import { parseXml } from '../../html/parse-xml.ts';
import { element, escaped, linked, type ListItem, listsOf, pageOf, tableOf } from './html.ts';
import { aboutOfOffice, hrefOf, mainPart, type Relation, relationsOf } from './ooxml.ts';
import { choosePages } from './pages.ts';
import type { Reading, Wanted } from './reading.ts';
import { all, attribute, childOf, childrenOf, countIn, firstOf, local } from './xml.ts';
import { type Archive, openZip } from './zip.ts';

type Relations = ReadonlyMap<string, Relation>;

/** Reads a presentation, slide by slide. Hidden slides are left out. */
export function readPptx(bytes: Uint8Array, wanted: Wanted): Reading {
  const archive = openZip(bytes);
  const main = mainPart(archive);
  const relations = relationsOf(archive, main);
  const slides = all(parseXml(archive.text(main)), 'sldId')
    .map(({ attribs }) => relations.get(attribs['r:id'] ?? '')?.target ?? '')
    .map((name) => ({ name, xml: parseXml(archive.text(name)) }))
    .filter(({ xml }) => firstOf(xml, 'sld')?.attribs.show !== '0');
  const numbers = choosePages(slides.length, wanted);
  const body = numbers.map((number) => slideOf(archive, slides[number - 1]));
  const html = pageOf(body.join(''), aboutOfOffice(archive));
  return { html, kind: 'text', pages: slides.length, read: numbers.length };
}

function slideOf(archive: Archive, slide: { name: string; xml: Document } | undefined): string {
  const tree = slide && firstOf(slide.xml, 'spTree');
  if (tree === undefined) return '';
  return shapesOf(tree, relationsOf(archive, slide?.name ?? ''));
}

function shapesOf(tree: Element, relations: Relations): string {
  const shapes = elementsOf(tree).map((shape) => ({ shape, isTitle: TITLES.includes(placeOf(shape) ?? '') }));
  const inOrder = shapes.toSorted((a, b) => Number(b.isTitle) - Number(a.isTitle));
  return inOrder.map(({ shape, isTitle }) => shapeOf(shape, isTitle, relations)).join('');
}

const TITLES: readonly string[] = ['title', 'ctrTitle'];
/** Numbers and dates of every slide. */
const FURNITURE: readonly string[] = ['sldNum', 'dt', 'ftr', 'hdr'];

/** Which place of its layout a shape fills, such as `title`; `obj` if the layout does not say. */
function placeOf(shape: Element): string | undefined {
  const place = local(shape) === 'sp' ? firstOf(shape, 'ph') : undefined;
  return place && (place.attribs.type ?? 'obj');
}

function shapeOf(shape: Element, isTitle: boolean, relations: Relations): string {
  const place = placeOf(shape);
  switch (local(shape)) {
    case 'grpSp':
      return shapesOf(shape, relations);
    case 'graphicFrame':
      return all(shape, 'tbl')
        .map((table) => slideTable(table, relations))
        .join('');
    case 'sp': {
      const body = childOf(shape, 'txBody');
      if (body === undefined || FURNITURE.includes(place ?? '')) return '';
      if (isTitle) return titleOf(body, relations);
      return paragraphsOf(body, place === 'obj' || place === 'body', relations);
    }
    case 'AlternateContent':
      return elementsOf(shape)
        .slice(0, 1)
        .map((choice) => shapesOf(choice, relations))
        .join('');
    default:
      return '';
  }
}

function titleOf(body: Element, relations: Relations): string {
  const words = childrenOf(body, 'p').map((paragraph) => inlineOf(paragraph, relations));
  const title = words.filter((each) => each.trim() !== '').join(' ');
  return title === '' ? '' : element('h2', title);
}

/** The text of a layout's main place has bullets unless it says otherwise; other text has those it names. */
function paragraphsOf(body: Element, hasBullets: boolean, relations: Relations): string {
  let html = '';
  let items: ListItem[] = [];
  for (const paragraph of childrenOf(body, 'p')) {
    const inner = inlineOf(paragraph, relations);
    if (inner.trim() === '') continue;
    const properties = childOf(paragraph, 'pPr');
    const named =
      properties && find(properties, (each) => /^bu(?:None|Char|AutoNum|Blip)$/.test(local(each)));
    const bullet = named ? local(named) : hasBullets ? 'buChar' : 'buNone';
    if (bullet === 'buNone') {
      html += listsOf(items) + element('p', inner);
      items = [];
    } else {
      const level = Math.min(Number(properties?.attribs.lvl ?? 0) || 0, items.length, 8);
      items.push({ level, isOrdered: bullet === 'buAutoNum', html: inner });
    }
  }
  return html + listsOf(items);
}

function inlineOf(paragraph: Element, relations: Relations): string {
  const parts = elementsOf(paragraph).map((run) => {
    if (local(run) === 'br') return '<br>';
    if (local(run) !== 'r' && local(run) !== 'fld') return '';
    const text = escaped(childrenOf(run, 't').map(rawText).join(''));
    const properties = childOf(run, 'rPr');
    const link = properties && childOf(properties, 'hlinkClick');
    const isBold = properties?.attribs.b === '1' && text.trim() !== '';
    return linked(isBold ? element('b', text) : text, hrefOf(relations, link && attribute(link, 'id')));
  });
  return parts.join('');
}

function slideTable(table: Element, relations: Relations): string {
  const rows = childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc')
      .filter(({ attribs }) => attribs.hMerge !== '1' && attribs.vMerge !== '1')
      .map((cell) => {
        const body = childOf(cell, 'txBody');
        const lines = body ? childrenOf(body, 'p').map((each) => inlineOf(each, relations)) : [];
        const spans = { colspan: countIn(cell, 'gridSpan', 1_000), rowspan: countIn(cell, 'rowSpan', 1_000) };
        return { html: lines.join('<br>'), ...spans };
      }),
  );
  return tableOf(rows);
}
