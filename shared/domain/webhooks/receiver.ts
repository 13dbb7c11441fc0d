import { createHash } from 'node:crypto';
import { DEFAULT_ENDPOINT, type Delivery } from '../../contract/webhooks/webhook.ts';

/** Attempts in progress at one receiver. */
export const MAX_AT_ONCE = 10;
/** While all attempts fail, one at a time is enough to notice that the receiver is back. */
export const MAX_WHILE_FAILING = 1;

/** A receiver has this long to respond. */
export const PATIENCE_MS = 15_000;
/** A slow one has this long while its organization has more than half of its places taken. */
const SHORT_PATIENCE_MS = 5_000;
const SLOW_MS = 5_000;
/** Of the latest attempt in the moving average: two that take 14 s in a row make a receiver slow. */
const WEIGHT = 0.2;

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

/** Exponential moving average of how long a receiver takes; a new receiver counts as quick. */
export function averaged(averageMs: number, ms: number): number {
  return Math.round(averageMs + WEIGHT * (ms - averageMs));
}

/** Milliseconds that an attempt may take. */
export function patienceFor({ averageMs, isCrowded }: { averageMs: number; isCrowded: boolean }): number {
  return isCrowded && averageMs >= SLOW_MS ? SHORT_PATIENCE_MS : PATIENCE_MS;
}

/** Whether an organization has more than half of its places taken. */
export function isCrowded(taken: number, most: number): boolean {
  return taken > most / 2;
}
