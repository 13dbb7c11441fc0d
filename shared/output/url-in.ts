import type { Element } from 'domhandler';

/** Undefined for what is no URL that can be followed. */
export type Absolute = (href: string) => string | undefined;

/** Attributes of URLs, by the element; of all others `href` or `src`: https://html.spec.whatwg.org/#attributes-3 */
const URL_ATTRIBUTES: Readonly<Record<string, string>> = {
  blockquote: 'cite',
  del: 'cite',
  form: 'action',
  ins: 'cite',
  meta: 'content',
  object: 'data',
  q: 'cite',
};

/** https://html.spec.whatwg.org/#srcset-attributes */
const SETS: readonly string[] = ['srcset', 'imagesrcset'];
const CANDIDATE = /([^\s,]\S*[^\s,]|[^\s,])((?:\s+[\d.]+[wxh])*)/g;

/** The absolute URL that an element leads to, that its attribute holds, or that a text is. */
export function urlIn(
  found: Element | string,
  attribute: string | undefined,
  absolute: Absolute,
): string | undefined {
  if (typeof found === 'string') return absolute(found);
  const { name, attribs } = found;
  const own = attribs[attribute ?? URL_ATTRIBUTES[name] ?? 'href'];
  const value = attribute === undefined ? (own ?? attribs['xlink:href'] ?? attribs.src) : own;
  if (value === undefined || !SETS.includes(attribute ?? '')) return value && absolute(value);
  return value.replace(CANDIDATE, (_, url: string, size: string) => `${absolute(url) ?? url}${size}`);
}
