import { createHash } from 'node:crypto';
import { DEFAULT_ENDPOINT, type Delivery } from '../../contract/webhook.ts';

/** Attempts in progress at one receiver. */
export const MOST_AT_ONCE = 10;
/** While all attempts fail, one at a time is enough to notice that the receiver is back. */
export const MOST_WHILE_FAILING = 1;

/** Who shares places for attempts: an endpoint, or the origin of a bare URL. */
export function receiverOf({
  orgId,
  endpointId,
  url,
}: Pick<Delivery, 'orgId' | 'endpointId' | 'url'>): string {
  if (endpointId !== DEFAULT_ENDPOINT || url === undefined) return `${orgId}#${endpointId}`;
  const origin = createHash('sha256').update(new URL(url).origin).digest('base64url');
  return `${orgId}#${origin}`;
}
