import type { Element } from 'domhandler';

/** Whether an element is a `link` of this kind. */
export const isLink = ({ name, attribs }: Element, rel: string): boolean =>
  name === 'link' &&
  attribs.href !== undefined &&
  (attribs.rel ?? '').toLowerCase().split(/\s+/).includes(rel);
