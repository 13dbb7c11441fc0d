import type { Call } from './call.ts';

/** Whether the caller states a preference without a value: RFC 7240 section 2. Names are in lower case. */
export function prefers({ prefer = '' }: Call['headers'], preference: string): boolean {
  return prefer.split(',').some((each) => each.split(';')[0]?.trim().toLowerCase() === preference);
}
