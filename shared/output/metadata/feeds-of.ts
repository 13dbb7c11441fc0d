import type { Document } from 'domhandler';
import type { Metadata } from '../../contract/scrape/output.ts';
import { findAll } from '../../html/tree.ts';
import { isLink } from './is-link.ts';
import { present } from './present.ts';

const FEEDS = /^application\/(?:rss|atom)\+xml$|^application\/feed\+json$/i;

/** The feeds that a page links to; undefined if it has none. */
export function feedsOf(
  document: Document,
  absolute: (href: string) => string | undefined,
): Metadata['feeds'] {
  const links = findAll(
    document,
    (element) => isLink(element, 'alternate') && FEEDS.test(element.attribs.type ?? ''),
  );
  const feeds = links.flatMap(({ attribs }) => {
    const url = absolute(attribs.href ?? '');
    return url === undefined
      ? []
      : [present({ url, title: attribs.title, type: attribs.type?.toLowerCase() })];
  });
  return feeds.length > 0 ? feeds : undefined;
}
