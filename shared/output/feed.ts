import { type Document, Element, type ParentNode } from 'domhandler';
import type { Metadata } from '../contract/scrape/metadata.ts';
import type { Link } from '../contract/scrape/output.ts';
import { present, first, dated } from './metadata.ts';
import { parseHtml } from '../html/parse-html.ts';
import { elementsOf, find, findAll, rawText } from '../html/tree.ts';

type Absolute = (href: string) => string | undefined;

const ENTRIES: ReadonlySet<string> = new Set(['item', 'entry', 'url', 'sitemap']);
const nameOf = ({ name }: Element) => name.slice(name.indexOf(':') + 1);

/** What the entries of a feed or sitemap lead to. Other XML has the links that it marks as such. */
export function linksOfXml(document: Document, absolute: Absolute): Link[] {
  const links = new Map<string, Link>();
  const add = (link: Element, href: string | undefined, text: string) => {
    const url = href === undefined ? undefined : addressOf(link, href, absolute);
    if (url !== undefined && !links.has(url)) links.set(url, { url, text, rel: link.attribs.rel ?? '' });
  };
  for (const entry of findAll(document, (element) => ENTRIES.has(nameOf(element)))) {
    const title = childText(entry, 'title') ?? '';
    for (const child of elementsOf(entry)) {
      if (nameOf(child) === 'loc') add(child, rawText(child), title);
      if (nameOf(child) === 'link') add(child, child.attribs.href ?? rawText(child), title);
    }
    const guid = elementsOf(entry).find((child) => nameOf(child) === 'guid');
    if (guid && !elementsOf(entry).some(isAddressed) && isPermalink(guid)) add(guid, rawText(guid), title);
  }
  if (links.size === 0)
    for (const link of findAll(document, (element) => hrefOf(element) !== undefined))
      add(link, hrefOf(link), first(rawText(link)) ?? '');
  return [...links.values()];
}

const isAddressed = (child: Element) =>
  nameOf(child) === 'link' && (child.attribs.href ?? rawText(child)).trim() !== '';

/** https://www.rssboard.org/rss-specification#ltguidgtSubelementOfLtitemgt */
const isPermalink = (guid: Element) =>
  guid.attribs.isPermaLink?.toLowerCase() !== 'false' && /^\s*https?:\/\//i.test(rawText(guid));

const hrefOf = ({ attribs }: Element) => attribs.href ?? attribs['xlink:href'];

/** By the `xml:base` around an element, each relative to the one before: https://www.w3.org/TR/xmlbase/. */
function addressOf(element: Element, href: string, absolute: Absolute): string | undefined {
  const bases: string[] = [];
  for (let at: ParentNode | null = element; at instanceof Element; at = at.parent)
    bases.unshift(...(at.attribs['xml:base'] ?? '').split(/\s+/).filter(Boolean));
  const base = bases.reduce<string | undefined>(
    (outer, each) => (outer === undefined ? absolute(each) : (URL.parse(each, outer)?.href ?? outer)),
    undefined,
  );
  return absolute((base && URL.parse(href.trim(), base)?.href) ?? href);
}

/** What a feed says about itself. */
export function metadataOfXml(document: Document, absolute: Absolute): Metadata {
  const channel = find(document, (element) => nameOf(element) === 'channel' || nameOf(element) === 'feed');
  const text = (...names: string[]) => first(...names.map((name) => channel && childText(channel, name)));
  const link =
    channel && elementsOf(channel).find((child) => nameOf(child) === 'link' && child.attribs.rel !== 'self');
  const home = link && (link.attribs.href ?? rawText(link));
  const author = channel && elementsOf(channel).find((child) => nameOf(child) === 'author');
  return present({
    title: text('title'),
    description: text('description', 'subtitle'),
    language: text('language') ?? channel?.attribs['xml:lang'],
    canonical: link && home ? addressOf(link, home, absolute) : undefined,
    author:
      (author && (childText(author, 'name') ?? first(rawText(author)))) ?? text('creator', 'managingEditor'),
    published_at: dated(text('pubDate', 'updated', 'lastBuildDate', 'date')),
    image: imageOf(channel, absolute),
  });
}

function imageOf(channel: Element | undefined, absolute: Absolute): string | undefined {
  const image =
    channel && elementsOf(channel).find((child) => nameOf(child) === 'image' || nameOf(child) === 'logo');
  const url = image && (image.attribs.href ?? childText(image, 'url') ?? first(rawText(image)));
  return image && url ? addressOf(image, url, absolute) : undefined;
}

/** Atom's text of type `html` is escaped markup: https://www.rfc-editor.org/rfc/rfc4287#section-3.1.1.2 */
function childText(parent: Element, name: string): string | undefined {
  const child = elementsOf(parent).find((element) => nameOf(element) === name);
  if (!child) return undefined;
  const text = rawText(child);
  return first(child.attribs.type === 'html' ? rawText(parseHtml(text)) : text);
}
