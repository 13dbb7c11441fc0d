import { Parser } from 'htmlparser2';
import { decodeHtml } from '../../html/decode-html.ts';
import { type SitemapEntry, sitemapHandler, type SitemapKind } from './sitemap-handler.ts';

/** A part of a file, as far as it has been read. `isCut`: it ended before its root element did. */
export type SitemapPart = { kind: SitemapKind | undefined; entries: SitemapEntry[]; isCut: boolean };

/** Characters that are read at a time, so that a reader can stop early. */
const PIECE = 65_536;

/**
 * Reads a sitemap, an index of sitemaps, a feed or a list of URLs, piece by piece, whatever type it was sent
 * as: https://www.sitemaps.org/protocol.html. Entries are what `url`, `sitemap`, `item` and `entry` lead to,
 * so pictures and videos are none. Anything else, such as an HTML page, is one part without `kind`.
 */
export function* readSitemap(bytes: Uint8Array, base: string, contentType = ''): Generator<SitemapPart> {
  // Types are often wrong, charsets seldom.
  const text = decodeHtml(bytes, contentType.replace(/^[^;]*/, 'application/xml'));
  yield* /^\s*</.test(text.slice(0, PIECE)) ? readXml(text, base) : readLines(text);
}

const OTHER: SitemapPart = { kind: undefined, entries: [], isCut: false };

function* readXml(text: string, base: string): Generator<SitemapPart> {
  const handler = sitemapHandler(base);
  const parser = new Parser(handler, { xmlMode: true, decodeEntities: true });
  for (let at = 0; at < text.length; at += PIECE) {
    parser.write(text.slice(at, at + PIECE));
    const kind = handler.kind();
    if (handler.isOther()) break;
    if (kind) yield { kind, entries: handler.take(), isCut: false };
  }
  if (!handler.isOther()) parser.end();
  if (handler.isOther()) yield OTHER;
  else yield { kind: handler.kind(), entries: handler.take(), isCut: handler.isCut() };
}

/** One URL in each line: https://www.sitemaps.org/protocol.html#otherformats */
function* readLines(text: string): Generator<SitemapPart> {
  let hasUrls = false;
  for (let at = 0; at < text.length;) {
    const line = text.indexOf('\n', at + PIECE);
    const end = line < 0 ? text.length : line;
    const entries = text
      .slice(at, end)
      .split(/[\r\n]+/)
      .flatMap(entryOf);
    hasUrls ||= entries.length > 0;
    if (!hasUrls) break;
    yield { kind: 'sitemap', entries, isCut: false };
    at = end + 1;
  }
  if (!hasUrls) yield OTHER;
}

function entryOf(line: string): SitemapEntry[] {
  const url = /^\s*https?:\/\/\S+\s*$/i.test(line) ? URL.parse(line.trim()) : null;
  return url ? [{ url, isSitemap: false }] : [];
}
