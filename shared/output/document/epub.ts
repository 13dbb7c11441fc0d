import type { Element } from 'domhandler';
import { removeElement } from 'domutils';
import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import { outerHtml } from '../../html/outer-html.ts';
import { parseXml } from '../../html/parse-xml.ts';
import { findAll } from '../../html/tree.ts';
import { pageOf } from './html.ts';
import { choosePages } from './pages.ts';
import type { Reading, Wanted } from './reading.ts';
import { aboutIn, all, attribute, firstOf, local } from './xml.ts';
import { type Archive, openZip, resolvedName } from './zip.ts';

/** Reads a book, chapter by chapter in the order of its spine: https://www.w3.org/TR/epub-33/ */
export function readEpub(bytes: Uint8Array, wanted: Wanted): Reading {
  const archive = openZip(bytes);
  const container = parseXml(archive.text('META-INF/container.xml'));
  const rootFile = firstOf(container, 'rootfile')?.attribs['full-path'];
  if (rootFile === undefined) throw new NotConvertible('broken', 'EPUB');
  const book = parseXml(archive.text(rootFile));
  const items = new Map(all(book, 'item').map((item) => [item.attribs.id, item]));
  const chapters = all(book, 'itemref').flatMap(({ attribs: { idref, linear } }) => {
    const item = linear === 'no' ? undefined : items.get(idref);
    return item && isChapter(item) ? resolvedName(rootFile, item.attribs.href ?? '') : [];
  });
  const encrypted = encryptedIn(archive);
  if (chapters.some((name) => encrypted.has(name))) throw new NotConvertible('encrypted', 'EPUB');
  const numbers = choosePages(chapters.length, wanted);
  const body = numbers.map((number) => chapterOf(archive, chapters[number - 1] ?? ''));
  const html = pageOf(body.join(''), aboutIn(book));
  return { html, kind: 'text', pages: chapters.length, read: numbers.length };
}

/** The table of contents says again what the chapters say. */
function isChapter({ attribs }: Element): boolean {
  const isNavigation = (attribs.properties ?? '').split(/\s+/).includes('nav');
  return /xhtml|html/.test(attribs['media-type'] ?? '') && !isNavigation;
}

function encryptedIn(archive: Archive): ReadonlySet<string> {
  const references = all(parseXml(archive.text('META-INF/encryption.xml')), 'CipherReference');
  return new Set(references.map((reference) => resolvedName('', attribute(reference, 'URI') ?? '')));
}

/** Elements without an end, which books may write as in HTML. What follows them is not in them. */
const UNCLOSED = /<(br|hr|img|wbr|col)((?:\s(?:[^<>"'/]|\/(?!>)|"[^"]*"|'[^']*')*)?)>/gi;

/** Without what leads into other chapters, and pictures, which nobody could load. */
function chapterOf(archive: Archive, name: string): string {
  const body = firstOf(parseXml(archive.text(name).replaceAll(UNCLOSED, '<$1$2/>')), 'body');
  if (body === undefined) return '';
  for (const element of findAll(body, () => true)) {
    element.name = local(element);
    const { attribs } = element;
    const isOutside = /^(?:https?|mailto|tel|ftp):/i.test((attribs.href ?? '').trim());
    if (element.name === 'a' && !isOutside) element.name = 'span';
    if (element.name === 'img') delete attribs.src;
    if (attribs.role === 'doc-backlink') removeElement(element);
  }
  return `<section>${body.children.map(outerHtml).join('')}</section>`;
}
