import type { Document, Element } from 'domhandler';
import type { Link } from '../contract/scrape/output.ts';
import { find, findAll } from '../html/tree.ts';
import { visibleText } from './visible-text.ts';

/** What links lead to, each once, in the order of the page. */
export function linksOf(document: Document, absolute: (href: string) => string | undefined): Link[] {
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
