import type { Document, Element } from 'domhandler';
import type { Link, Metadata } from '../contract/output.ts';
import { dated, first, present } from './metadata.ts';
import { elementsOf, find, findAll, rawText } from './tree.ts';

type Absolute = (href: string) => string | undefined;

const ENTRIES: ReadonlySet<string> = new Set(['item', 'entry', 'url', 'sitemap']);
const nameOf = ({ name }: Element) => name.slice(name.indexOf(':') + 1);

/** What the entries of a feed or sitemap lead to. Other XML has the links that it marks as such. */
export function linksOfXml(document: Document, absolute: Absolute): Link[] {
  const links = new Map<string, Link>();
  const add = (href: string | undefined, text: string, rel: string) => {
    const url = href === undefined ? undefined : absolute(href);
    if (url !== undefined && !links.has(url)) links.set(url, { url, text, rel });
  };
  for (const entry of findAll(document, (element) => ENTRIES.has(nameOf(element)))) {
    const title = childText(entry, 'title') ?? '';
    for (const child of elementsOf(entry)) {
      if (nameOf(child) === 'loc') add(rawText(child), title, '');
      if (nameOf(child) === 'link') add(child.attribs.href ?? rawText(child), title, child.attribs.rel ?? '');
    }
  }
  if (links.size === 0)
    for (const link of findAll(
      document,
      ({ attribs }) => (attribs.href ?? attribs['xlink:href']) !== undefined,
    ))
      add(
        link.attribs.href ?? link.attribs['xlink:href'],
        first(rawText(link)) ?? '',
        link.attribs.rel ?? '',
      );
  return [...links.values()];
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
    canonical: home ? absolute(home) : undefined,
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
  return url ? absolute(url) : undefined;
}

function childText(parent: Element, name: string): string | undefined {
  const child = elementsOf(parent).find((element) => nameOf(element) === name);
  return child && first(rawText(child));
}
