import { Element } from 'domhandler';
import type { PhrasingContent } from 'mdast';
import { elementsOf } from '../../html/tree.ts';

/** Brackets and spaces in an address would end it for some readers. */
export const encoded = (url: string): string =>
  url.replace(/[()<>\s[\]]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** Where pages keep the address of an image that a script loads later. */
const LATER = ['data-src', 'data-lazy-src', 'data-lazy', 'data-original'];
const SETS = ['srcset', 'data-srcset', 'data-lazy-srcset'];

type Absolute = (url: string) => string | undefined;

/** An image by the address that it has or will have; none for images of data and pixels that count visits. */
export function imageOf(element: Element, absolute: Absolute): PhrasingContent[] {
  const url = imageAddress(element, absolute);
  const alt = (element.attribs.alt ?? '').replace(/\s+/g, ' ').trim();
  return url === undefined ? [] : [{ type: 'image', url: encoded(url), alt }];
}

export function imageAddress({ attribs, parent }: Element, absolute: Absolute): string | undefined {
  const isPicture = parent instanceof Element && parent.name === 'picture';
  const sources = isPicture ? elementsOf(parent).filter(({ name }) => name === 'source') : [];
  const sets = [attribs, ...sources.map((source) => source.attribs)];
  const addresses = [
    ...[...LATER, 'src'].map((name) => attribs[name]),
    ...sets.flatMap((each) => SETS.map((name) => firstCandidate(each[name] ?? ''))),
  ];
  const source = addresses.find((url) => url !== undefined && url.trim() !== '' && !/^\s*data:/i.test(url));
  const isPixel = attribs.width === '1' || attribs.height === '1';
  return source === undefined || isPixel ? undefined : absolute(source);
}

/**
 * The first address of a `srcset`, in which commas belong to an address unless they end it.
 * https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute
 */
function firstCandidate(set: string): string | undefined {
  const [address] = /[^\s,]\S*/.exec(set) ?? [];
  return address?.replace(/,+$/, '');
}
