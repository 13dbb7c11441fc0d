import { textIn } from '../../shared/html/charsets.ts';

/** Whether two charsets show the same text for these bytes. */
export function isShownAlike(bytes: Uint8Array, one: string, other: string): boolean {
  return one === other || textIn(bytes, one) === textIn(bytes, other);
}
