import { Element } from 'domhandler';
import { find, rawText } from '../../html/tree.ts';
import { isNamed, wordSet } from './names.ts';

export type PageKind = 'forum' | 'product' | 'other';

const FORUM_NAMES = wordSet(
  'forum forums thread threads topic phpbb discourse crawler xenforo ips ipsapp vbulletin mybb flarum nodebb',
);
const FORUM_ADDRESS =
  /\b(?:forums?|threads?|topics?|boards?|viewtopic|showthread|discussions?|questions|comments)\b|\/t\//i;
const FORUM_TYPE = /DiscussionForumPosting|QAPage|\bQuestion$/;

const PRODUCT = /"@type"\s*:\s*\[?\s*"Product"/;
const MANY_PRODUCTS = /"(?:ItemList|Article|BlogPosting|CollectionPage)"/;

/** What a page is about, from its address, its structured data and the names of its body. */
export function pageKind(body: Element, url: string): PageKind {
  const html = body.parent instanceof Element ? body.parent : body;
  if (FORUM_ADDRESS.test(url) || isNamed(body, FORUM_NAMES) || isNamed(html, FORUM_NAMES)) return 'forum';
  if (find(body, ({ attribs }) => FORUM_TYPE.test(attribs.itemtype ?? ''))) return 'forum';
  return find(html, saysProduct) ? 'product' : 'other';
}

function saysProduct(element: Element): boolean {
  const { name, attribs } = element;
  if (name === 'script') {
    if (attribs.type?.includes('ld+json') !== true) return false;
    const json = rawText(element);
    return PRODUCT.test(json) && !MANY_PRODUCTS.test(json);
  }
  if (name === 'meta')
    return attribs.property === 'og:type' && /product(?!.*group)/.test(attribs.content ?? '');
  return attribs.itemtype?.endsWith('schema.org/Product') === true;
}
