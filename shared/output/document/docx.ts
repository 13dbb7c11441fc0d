import { strFromU8, strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import { parseXml } from '../../html/parse-xml.ts';
import { headingRules, readableXml, withFormulas } from './docx-parts.ts';
import { withNumbers, withStarts } from './docx-numbers.ts';
import { pageOf } from './html.ts';
import { aboutOfOffice } from './ooxml.ts';
import type { Reading } from './reading.ts';
import { openZip } from './zip.ts';

/** Beside the headings that the package knows. */
const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => h2:fresh",
  "p[style-name='Code'] => pre:separator('\n')",
  "p[style-name='Source Code'] => pre:separator('\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\n')",
  'strike => del',
];

const TEXTS = /^word\/(?:document|footnotes|endnotes)\w*\.xml$/;

/** Reads a Word document. Of pictures, only their descriptions are read. */
export async function readDocx(bytes: Uint8Array): Promise<Reading> {
  const archive = openZip(bytes);
  // The package does not bound what it inflates.
  const parts = archive.files((name) => /\.(?:xml|rels)$/.test(name));
  const textOf = (name: string) => strFromU8(parts[name] ?? new Uint8Array());
  const numbering = parseXml(textOf('word/numbering.xml'));
  const formulas: string[] = [];
  for (const name of Object.keys(parts).filter((each) => TEXTS.test(each))) {
    const xml = withNumbers(readableXml(textOf(name), formulas), numbering);
    parts[name] = strToU8(xml);
  }
  const buffer = Buffer.from(zipSync(parts, { level: 0 }));
  const picture = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  const styleMap = [...STYLES, ...headingRules(textOf('word/styles.xml'))];
  const options = { styleMap, convertImage: picture, externalFileAccess: false };
  try {
    const { value } = await mammoth.convertToHtml({ buffer }, options);
    const body = withFormulas(withHeads(withoutAnchors(withStarts(value))), formulas);
    const html = pageOf(body, aboutOfOffice(archive));
    return { html, kind: 'text', pages: 1, read: 1 };
  } catch (error) {
    if (error instanceof RangeError || error instanceof NotConvertible) throw error;
    throw new NotConvertible('broken', 'DOCX');
  }
}

/** Links within the document lead nowhere. The package marks the way back from a note with an arrow. */
function withoutAnchors(html: string): string {
  return html
    .replaceAll(/ ?<a href="#[^"]*"[^>]*>\u2191<\/a>/g, '')
    .replaceAll(/<a href="#[^"]*"[^>]*>(.*?)<\/a>/g, '$1');
}

/** The first row of a table names its columns. Cells that hold tables are left as they came. */
function withHeads(html: string): string {
  return html.replaceAll(/<table><tr>(?:(?!<\/tr>|<table>)[^])*<\/tr>/g, (row) =>
    row.replaceAll(/(<\/?)td\b/g, '$1th'),
  );
}
