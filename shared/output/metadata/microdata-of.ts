import type { Document } from 'domhandler';
import { find, rawText } from '../../html/tree.ts';

/** The value of a microdata property: https://html.spec.whatwg.org/multipage/microdata.html#values */
export function microdataOf(document: Document, name: string): string | undefined {
  const element = find(document, ({ attribs }) => attribs.itemprop === name);
  if (!element) return undefined;
  const { content, datetime, src, href } = element.attribs;
  return content ?? datetime ?? src ?? (element.name === 'link' ? href : rawText(element));
}
