import { type Document, Element } from 'domhandler';
import type { Conversion, Converted } from '../contract/scrape/output.ts';
import { decodeHtml } from '../html/decode-html.ts';
import { NotConvertible } from '../contract/scrape/not-convertible.ts';
import { parseHtml } from '../html/parse-html.ts';
import { parseXml } from '../html/parse-xml.ts';
import { find, rawText, findAll } from '../html/tree.ts';
import { isRead, isConcealed, isHidden, reveal, unlinked, weigh, withoutElements } from '../html/visible.ts';
import { cleanHtml } from './clean-html.ts';
import { contentOf } from './content/main-content.ts';
import { selected, selectedContent } from './content/selected.ts';
import { extract } from './extract.ts';
import { linksOfXml, metadataOfXml } from './feed.ts';
import { imagesOf, linksOf } from './links.ts';
import { write } from './markdown/write.ts';
import { metadataOf } from './metadata.ts';
import { cssOver } from './select/css.ts';
import { pageIndex } from './select/page-index.ts';

/** The parts of a page. Throws `NotConvertible` for a page that has no such parts. */
export function convert(page: Conversion): Converted {
  const { outputs, contentType, awaited } = page;
  const kind = kindOf(contentType, page.body);
  const isSource = outputs.every((output) => output === 'html') && awaited === undefined;
  if (isSource ? !TEXTUAL.test(contentType ?? '') : kind === 'other')
    throw new NotConvertible('type', contentType ?? 'of unknown type');
  if (!isSource && page.body.byteLength > MAX_BYTES) throw new NotConvertible('memory');
  const html = decodeHtml(page.body, contentType);
  const source = outputs.includes('html') ? { html } : {};
  if (isSource) return source;
  return { ...source, ...(kind === 'xml' ? fromXml(html, page) : fromHtml(html, page)) };
}

/** Larger pages would not fit into the memory of the thread several times over. */
const MAX_BYTES = 20_000_000;

/** Types whose bytes are text. */
const TEXTUAL = /^\s*$|^\s*text\/|json|xml|javascript/i;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const XML = /^(?:text|application)\/(?:[\w.-]+\+)?xml$/;
/** Types of documents, under whose names servers send pages that say something else. */
const DOCUMENT = /^(?:application\/(?:pdf|epub\+zip|rtf|msword|csv|vnd\.[\w.-]+)|text\/(?:rtf|csv))$/;
const UNKNOWN: readonly string[] = ['', 'unknown/unknown', 'application/unknown', '*/*'];
/** How browsers recognise HTML: https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type */
const MARKUP =
  /^(?:\xEF\xBB\xBF)?\s*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>])/i;

function kindOf(contentType = '', body: Uint8Array): 'html' | 'xml' | 'other' {
  // The last one counts: https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
  const last = contentType.split(',').at(-1) ?? '';
  const essence = (last.split(';')[0] ?? '').trim().toLowerCase();
  if (HTML.test(essence)) return 'html';
  if (XML.test(essence)) return 'xml';
  if (!UNKNOWN.includes(essence) && !DOCUMENT.test(essence)) return 'other';
  return looksLikeHtml(body) ? 'html' : 'other';
}

/** By its first bytes, as browsers do. */
export const looksLikeHtml = (body: Uint8Array): boolean =>
  MARKUP.test(Buffer.from(body.subarray(0, 1_445)).toString('latin1'));

function fromXml(xml: string, { outputs, url, contentType = 'XML' }: Conversion): Converted {
  if (outputs.some((output) => !['html', 'links', 'metadata'].includes(output)))
    throw new NotConvertible('type', contentType);
  const document = parseXml(xml);
  const absolute = addressesOf(document, url);
  return {
    ...(outputs.includes('links') && { links: linksOfXml(document, absolute) }),
    ...(outputs.includes('metadata') && { metadata: metadataOfXml(document, absolute) }),
  };
}

/** What is taken from a part of the page. */
const TEXTS = ['clean_html', 'markdown', 'text'] as const;

function fromHtml(html: string, page: Conversion): Converted {
  const { outputs, url, rules, awaited, isRendered = false } = page;
  const document = parseHtml(html, { isRendered });
  const absolute = addressesOf(document, url);
  const wantsText = TEXTS.some((output) => outputs.includes(output));
  return {
    ...(awaited && { hasMatch: awaited.every((selector) => hasMatchIn(document, selector)) }),
    ...(wantsText && texts(document, page, absolute)),
    ...(outputs.includes('links') && { links: linksOf(document, absolute) }),
    ...(outputs.includes('images') && { images: imagesOf(document, absolute) }),
    ...(outputs.includes('metadata') && { metadata: metadataOf(document, absolute) }),
    ...(outputs.includes('extract') && rules && extract(document, rules, absolute)),
  };
}

/** False too for what only browsers can select, such as `:hover`. */
function hasMatchIn(document: Document, selector: string): boolean {
  try {
    return cssOver(() => pageIndex(document))(selector, document, false).length > 0;
  } catch {
    return false;
  }
}

function texts(
  document: Document,
  { outputs, scope, url, include, exclude = [] }: Conversion,
  absolute: (href: string) => string | undefined,
): Converted {
  const body = bodyOf(document);
  return withoutElements(selected(body, exclude), () => {
    prepare(body);
    const { roots, dropped, ...content } = include
      ? selectedContent(body, include)
      : contentOf(body, scope, url);
    const isLeft = (element: Element) => isRead(element) && !dropped.has(element);
    const page = { isLeft, absolute };
    return {
      content,
      ...(outputs.includes('clean_html') && { clean_html: cleanHtml(roots, page) }),
      ...(outputs.includes('markdown') && { markdown: write(roots, 'markdown', page) }),
      ...(outputs.includes('text') && { text: write(roots, 'text', page) }),
    };
  });
}

/** A page of frames says in `noframes` what it can say itself. */
function bodyOf(document: Document): Element {
  const body =
    find(document, ({ name }) => name === 'body') ?? find(document, ({ name }) => name === 'noframes');
  if (!body) return new Element('body', {});
  return body.name === 'noframes' ? bodyOf(parseHtml(rawText(body))) : body;
}

const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template']);
/** Of a page's words. With more of them in sight, what is hidden is meant to be. */
const ENOUGH = 0.6;
const MIN_WORDS = 30;

/** Shows what a page keeps for readers without scripts, or would reveal, where that is most of the page. */
function prepare(body: Element): void {
  for (const element of findAll(body, isShownLater)) reveal(element);
  const isAnywhere = (element: Element) =>
    isRead(element) || (isHidden(element) && !UNSEEN.has(element.name) && !isConcealed(element));
  const all = weigh(body, isAnywhere);
  const visible = weigh(body, (element) => isRead(element) && element.name !== 'noscript').get(body);
  if ((visible?.words ?? 0) > (all.get(body)?.words ?? 0) * ENOUGH) return;
  const least = Math.max(MIN_WORDS, unlinked(visible) * 0.7);
  for (const element of findAll(body, (each) => each.name === 'noscript' || isHidden(each))) {
    if (unlinked(all.get(element)) < least) continue;
    if (element.name === 'noscript') element.name = 'div';
    else reveal(element);
  }
}

/** Panels that a click opens: tabs, accordions, answers to questions. */
const PANEL = /tab-?(?:pane|panel|content)|accordion|collaps|faq|expand/i;

/** Hidden parts of the content: panels, and what React streams in and its script puts into place. */
function isShownLater(element: Element): boolean {
  const { attribs } = element;
  if (!isHidden(element) || attribs.role === 'dialog') return false;
  if (/^S:\w+$/.test(attribs.id ?? '')) return 'hidden' in attribs;
  if (attribs.role === 'tabpanel' || PANEL.test(attribs.class ?? '')) return true;
  return attribs.role === 'region' && 'aria-labelledby' in attribs;
}

const FOLLOWED: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);
const MAX_LENGTH = 8_192;

/** Makes the URLs of a page absolute, by its `base` if it has one. */
function addressesOf(document: Document, url: string): (href: string) => string | undefined {
  const href = find(document, ({ name, attribs }) => name === 'base' && attribs.href !== undefined)?.attribs
    .href;
  const declared = href === undefined ? undefined : URL.parse(href.trim(), url);
  const base = declared && /^https?:$/.test(declared.protocol) ? declared : URL.parse(url);
  return (reference) => {
    const text = reference.trim();
    if (text.length > MAX_LENGTH || (text === '' && reference !== '')) return undefined;
    const target = URL.parse(text, base?.href);
    return target && FOLLOWED.has(target.protocol) ? target.href : undefined;
  };
}
