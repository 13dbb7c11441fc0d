import { createHash } from 'node:crypto';
import type { RateLimit } from '../accounts/credits/rate-limit.ts';
import { MINUTE_MS } from '../../time/units.ts';

/** Each form has its own buckets, so that one form does not block another. */
export type Form = 'sign-up' | 'confirm' | 'sign-in' | 'forgot' | 'reset' | 'join' | 'playground' | 'submit';

/** Attempts by one network, and for one e-mail address. A code has a million values and lasts a day. */
export const formLimits: Readonly<Record<'address' | 'email', RateLimit>> = {
  address: { limit: 30, windowMs: 15 * MINUTE_MS },
  email: { limit: 10, windowMs: 15 * MINUTE_MS },
};

/** Codes mailed to one address, whichever form requests them. */
export const mailLimit: RateLimit = { limit: 5, windowMs: 15 * MINUTE_MS };

/** Pages of one organization's members: ten a second, which people do not need for long. */
export const pageLimit: RateLimit = { limit: 600, windowMs: MINUTE_MS };

/** The name of a bucket: a hash, so that no address is stored. */
export function bucketName(form: Form | 'mail', kind: keyof typeof formLimits, value: string): string {
  const whose = kind === 'address' ? networkOf(value) : value;
  return createHash('sha256').update(`${form} ${kind} ${whose}`).digest('hex');
}

/** A customer has a /64 of IPv6 at least. RFC 6177. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const first = head.split(':');
  const missing = tail === undefined ? 0 : 8 - first.length - tail.split(':').length;
  return [...first, ...Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':');
}
