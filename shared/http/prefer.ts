import type { Call } from './call.ts';

/** Whether the caller states a preference without a value: RFC 7240 section 2. Names are in lower case. */
export function prefers({ prefer = '' }: Call['headers'], preference: string): boolean {
  return prefer.split(',').some((each) => each.split(';')[0]?.trim().toLowerCase() === preference);
}

/** A preference of so many seconds, at least 1. Others are ignored, as RFC 7240 section 2 says. */
export function preferredSeconds({ prefer = '' }: Call['headers'], preference: string): number | undefined {
  for (const each of prefer.split(',')) {
    const [name = '', value = ''] = (each.split(';')[0] ?? '').split('=');
    const [, digits] = /^\s*"?(\d{1,6})"?\s*$/.exec(value) ?? [];
    // The first one counts.
    if (name.trim().toLowerCase() === preference)
      return digits && Number(digits) > 0 ? Number(digits) : undefined;
  }
  return undefined;
}
