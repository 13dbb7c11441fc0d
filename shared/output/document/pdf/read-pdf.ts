import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { type DocumentWanted, MAX_PAGES } from '../../../contract/scrape/document.ts';
import { NotConvertible } from '../../../contract/scrape/not-convertible.ts';
import { type About, pageOf } from '../html.ts';
import { choosePages } from '../pages.ts';
import type { Reading, Wanted } from '../reading.ts';
import { htmlOfArea, sizesOf } from './blocks.ts';
import { annotationsOf } from './annotations.ts';
import { fragmentsByAngle, type Item } from './fragments-of-page.ts';
import { type Area, layOut } from './layout.ts';
import { loadPdf } from './load-pdf.ts';
import { rowsOf } from './rows.ts';
import { htmlOfStructure, type StructureNode } from './structure.ts';

/** The text of a page: its author's structure as HTML, or parts in reading order. */
type Shown = { number: number; html?: string; areas: Area[]; isUnread?: boolean };

/** Reads a PDF. Throws `NotConvertible`: `encrypted`, `broken`, `pages`, or `scanned` with page numbers. */
export async function readPdf(bytes: Uint8Array, wanted: Wanted): Promise<Reading> {
  assertFew(bytes, wanted);
  const pdf = await loadPdf(bytes);
  try {
    const numbers = choosePages(pdf.numPages, wanted);
    const shown: Shown[] = [];
    for (const number of numbers) shown.push(await show(pdf, number));
    if (shown.every(({ isUnread }) => isUnread)) throw new NotConvertible('broken', 'PDF');
    const isEmpty = ({ html, areas }: Shown) => html === undefined && areas.length === 0;
    const empty = hasImages(bytes) ? shown.filter(isEmpty).map(({ number }) => number) : [];
    if (empty.length > 0 && empty.length === shown.length)
      throw new NotConvertible('scanned', rangesOf(empty));
    const sizes = sizesOf(shown.flatMap(({ areas }) => areas));
    const body = shown.map(
      ({ html, areas }) => html ?? areas.map((area) => htmlOfArea(area, sizes)).join(''),
    );
    const kind = empty.length > 0 ? 'mixed' : 'text';
    return {
      html: pageOf(body.join(''), await aboutOf(pdf)),
      kind,
      pages: pdf.numPages,
      read: numbers.length,
    };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/** Files of many thousand pages take seconds to open. Most say how many they have. */
function assertFew(bytes: Uint8Array, wanted: DocumentWanted): void {
  const counts = latin1(bytes).matchAll(/\/Type\s*\/Pages\b[^>]{0,200}?\/Count\s+(\d{1,9})/g);
  const most = Math.max(0, ...[...counts].map(([, count]) => Number(count)));
  if (wanted.pages === undefined && most > MAX_PAGES) choosePages(most, wanted);
}

const latin1 = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

/** A page that cannot be read is left empty, as viewers show it. */
async function show(pdf: PDFDocumentProxy, number: number): Promise<Shown> {
  const page = await pdf.getPage(number).catch(() => undefined);
  if (page === undefined) return { number, areas: [], isUnread: true };
  const { links, values } = await annotationsOf(page);
  const items = [...(await itemsOf(page)), ...values];
  const groups = fragmentsByAngle(items, links, page.getViewport({ scale: 1 }));
  const fragments = groups.flat();
  // The package types it more loosely than it is.
  const root = (await page.getStructTree().catch(() => null)) as StructureNode | null;
  page.cleanup();
  const html = htmlOfStructure(root, fragments);
  if (html !== undefined) return { number, html, areas: [] };
  return { number, areas: groups.flatMap((group) => layOut(rowsOf(group))) };
}

async function itemsOf(page: PDFPageProxy): Promise<Item[]> {
  const { items } = await page.getTextContent({ includeMarkedContent: true });
  return items;
}

/** Whether there is a picture anywhere. Their dictionaries are never compressed. */
function hasImages(bytes: Uint8Array): boolean {
  return /\/Subtype\s*\/Image\b/.test(latin1(bytes));
}

/** `1-3, 7` */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

async function aboutOf(pdf: PDFDocumentProxy): Promise<About> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const text = (name: string) => {
    const value: unknown = (info as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  return {
    title: text('Title'),
    author: text('Author'),
    description: text('Subject'),
    keywords: text('Keywords'),
    language: text('Language'),
    publishedAt: isoDate(text('CreationDate')),
  };
}

/** `D:20261126221440+01'00'`, of which all but the year may be absent: ISO 32000-2, section 7.9.4. */
function isoDate(date = ''): string | undefined {
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour = '00',
    zoneMinute = '00',
  ] = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(date) ?? [];
  if (year === undefined) return undefined;
  const zone = sign ? `${sign}${zoneHour}:${zoneMinute}` : 'Z';
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}
