import type { Document, Element } from 'domhandler';
import { elementsOf, find, rawText } from '../../html/tree.ts';
import { parseXml } from '../../html/parse-xml.ts';
import { element, escaped, linked, type ListItem, listsOf, pageOf, tableOf } from './html.ts';
import { aboutOfOffice, hrefOf, mainPart, type Relation, relationsOf } from './ooxml.ts';
import { mathOf } from './omml.ts';
import { choosePages } from './pages.ts';
import type { Reading, Wanted } from './reading.ts';
import { all, attribute, childOf, childrenOf, countIn, firstOf, local } from './xml.ts';
import { type Archive, openZip } from './zip.ts';

/** A slide's own file, and what that refers to. */
type Own = { archive: Archive; relations: ReadonlyMap<string, Relation> };

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
  return shapesOf(tree, { archive, relations: relationsOf(archive, slide?.name ?? '') });
}

function shapesOf(tree: Element, own: Own): string {
  const shapes = elementsOf(tree).map((shape) => ({ shape, isTitle: TITLES.includes(placeOf(shape) ?? '') }));
  const inOrder = shapes.toSorted((a, b) => Number(b.isTitle) - Number(a.isTitle));
  return inOrder.map(({ shape, isTitle }) => shapeOf(shape, isTitle, own)).join('');
}

const TITLES: readonly string[] = ['title', 'ctrTitle'];
/** Numbers and dates of every slide. */
const FURNITURE: readonly string[] = ['sldNum', 'dt', 'ftr', 'hdr'];

/** Which place of its layout a shape fills, such as `title`; `obj` if the layout does not say. */
function placeOf(shape: Element): string | undefined {
  const place = local(shape) === 'sp' ? firstOf(shape, 'ph') : undefined;
  return place && (place.attribs.type ?? 'obj');
}

function shapeOf(shape: Element, isTitle: boolean, own: Own): string {
  const place = placeOf(shape);
  switch (local(shape)) {
    case 'grpSp':
      return shapesOf(shape, own);
    case 'graphicFrame':
      return all(shape, 'tbl', 'relIds')
        .map((each) => (local(each) === 'tbl' ? slideTable(each, own) : diagramOf(each, own)))
        .join('');
    case 'sp': {
      const body = childOf(shape, 'txBody');
      if (body === undefined || FURNITURE.includes(place ?? '')) return '';
      if (isTitle) return titleOf(body, own);
      return paragraphsOf(body, place === 'obj' || place === 'body', own);
    }
    case 'AlternateContent':
      return elementsOf(shape)
        .slice(0, 1)
        .map((choice) => shapesOf(choice, own))
        .join('');
    default:
      return '';
  }
}

/** Parts of a diagram that only lay it out. */
const LAYOUT: readonly string[] = ['pres', 'parTrans', 'sibTrans', 'doc'];

/** The texts of a diagram, as a list: ECMA-376, part 1, section 21.4. */
function diagramOf(ids: Element, own: Own): string {
  const data = own.relations.get(attribute(ids, 'dm') ?? '');
  const points = data ? all(parseXml(own.archive.text(data.target)), 'pt') : [];
  const shown = points.filter(({ attribs: { type = 'node' } }) => !LAYOUT.includes(type));
  const texts = shown.flatMap((point) => all(point, 'p').map((each) => inlineOf(each, own)));
  return listsOf(texts.filter((each) => each !== '').map((html) => ({ level: 0, isOrdered: false, html })));
}

function titleOf(body: Element, own: Own): string {
  const words = childrenOf(body, 'p').map((paragraph) => inlineOf(paragraph, own));
  const title = words.filter((each) => each.trim() !== '').join(' ');
  return title === '' ? '' : element('h2', title);
}

/** The text of a layout's main place has bullets unless it says otherwise; other text has those it names. */
function paragraphsOf(body: Element, hasBullets: boolean, own: Own): string {
  let html = '';
  let items: ListItem[] = [];
  for (const paragraph of childrenOf(body, 'p')) {
    const inner = inlineOf(paragraph, own);
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
      const start = named ? countIn(named, 'startAt', MAX_START) : 1;
      items.push({ level, isOrdered: bullet === 'buAutoNum', html: inner, start });
    }
  }
  return html + listsOf(items);
}

/** ECMA-376, part 1, section 20.1.10.69. */
const MAX_START = 32_767;

function inlineOf(paragraph: Element, own: Own): string {
  const parts = elementsOf(paragraph).map((run) => {
    if (local(run) === 'br') return '<br>';
    if (local(run) === 'AlternateContent' || local(run) === 'm')
      return all(run, 'oMath').map(mathOf).join(' ');
    if (local(run) !== 'r' && local(run) !== 'fld') return '';
    const text = escaped(childrenOf(run, 't').map(rawText).join(''));
    const properties = childOf(run, 'rPr');
    const link = properties && childOf(properties, 'hlinkClick');
    const isBold = properties?.attribs.b === '1' && text.trim() !== '';
    return linked(isBold ? element('b', text) : text, hrefOf(own.relations, link && attribute(link, 'id')));
  });
  return parts.join('');
}

function slideTable(table: Element, own: Own): string {
  const rows = childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc')
      .filter(({ attribs }) => attribs.hMerge !== '1' && attribs.vMerge !== '1')
      .map((cell) => {
        const body = childOf(cell, 'txBody');
        const lines = body ? childrenOf(body, 'p').map((each) => inlineOf(each, own)) : [];
        const spans = { colspan: countIn(cell, 'gridSpan', 1_000), rowspan: countIn(cell, 'rowSpan', 1_000) };
        return { html: lines.join('<br>'), ...spans };
      }),
  );
  return tableOf(rows);
}
