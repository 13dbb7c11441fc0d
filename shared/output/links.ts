import type { Document, Element } from 'domhandler';
import type { Link } from '../contract/scrape/output.ts';
import { find, findAll } from '../html/tree.ts';
import { imageAddress } from './markdown/image.ts';
import { visibleText } from './visible-text.ts';

type Absolute = (href: string) => string | undefined;

/** What links lead to, each once, in the order of the page. */
export function linksOf(document: Document, absolute: Absolute): Link[] {
  const links = new Map<string, Link>();
  const anchors = findAll(
    document,
    ({ name, attribs }) => (name === 'a' || name === 'area') && attribs.href !== undefined,
  );
  for (const anchor of anchors) {
    const { href = '', rel = '' } = anchor.attribs;
    const url = href.trim().startsWith('#') ? undefined : absolute(href);
    if (url === undefined) continue;
    const known = links.get(url);
    if (known?.text) continue;
    links.set(url, { url, text: textOf(anchor), rel: known?.rel || rel.trim() });
  }
  return [...links.values()];
}

function textOf(anchor: Element): string {
  const { attribs } = anchor;
  const picture = () => find(anchor, ({ name }) => name === 'img')?.attribs.alt;
  const candidates = [
    () => visibleText(anchor),
    () => attribs['aria-label'],
    picture,
    () => attribs.title,
    () => attribs.alt,
  ];
  for (const candidate of candidates) {
    const text = candidate()?.replace(/\s+/g, ' ').trim();
    if (text) return text;
  }
  return '';
}

/** Where elements name an image. */
const NAMING: Readonly<Record<string, (element: Element, absolute: Absolute) => string | undefined>> = {
  img: imageAddress,
  video: ({ attribs: { poster } }, absolute) => poster && absolute(poster),
  input: ({ attribs: { type, src } }, absolute) => (type === 'image' && src ? absolute(src) : undefined),
  link: ({ attribs: { rel = '', href } }, absolute) => (ICON.test(rel) && href ? absolute(href) : undefined),
  meta: ({ attribs: { property, name, content } }, absolute) =>
    PREVIEW.test(property ?? name ?? '') && content ? absolute(content) : undefined,
};

const ICON = /(?:^|\s)(?:icon|apple-touch-icon|image_src)(?:\s|$)/i;
const PREVIEW = /^(?:og:image(?::url|:secure_url)?|twitter:image(?::src)?)$/i;

/** The images of a page, each once, in page order. */
export function imagesOf(document: Document, absolute: Absolute): string[] {
  const found = findAll(document, ({ name }) => name in NAMING).flatMap((each) => {
    const url = NAMING[each.name]?.(each, absolute);
    return url !== undefined && /^https?:/.test(url) ? [url] : [];
  });
  return [...new Set(found)];
}
