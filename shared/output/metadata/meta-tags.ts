import type { Document } from 'domhandler';
import { findAll } from '../../html/tree.ts';

/** The content of `meta` elements by their names in lower case, of each the first. */
export function metaTags(document: Document): Record<string, string | undefined> {
  const tags: Record<string, string> = {};
  for (const { attribs } of findAll(document, ({ name }) => name === 'meta')) {
    const name = (attribs.property ?? attribs.name ?? attribs['http-equiv'])?.toLowerCase();
    if (name !== undefined && attribs.content && !(name in tags)) tags[name] = attribs.content;
  }
  return tags;
}
