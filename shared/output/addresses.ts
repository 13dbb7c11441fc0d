import type { Document } from 'domhandler';
import { find } from '../html/tree.ts';

const FOLLOWED: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);
const MAX_LENGTH = 8_192;

/** Makes the URLs of a page absolute, by its `base` if it has one. */
export function addressesOf(document: Document, url: string): (href: string) => string | undefined {
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
