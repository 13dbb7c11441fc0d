import { createHash } from 'node:crypto';
import type { DeliveredPart } from '../../contract/webhooks/webhook.ts';

type Identity = {
  type: string;
  orgId: string;
  /** What it is about, such as a job's id. */
  subject: string;
  at: Date;
  /** Tells apart events of one type and subject at the same time, which are the same otherwise. */
  name?: string;
};

/** Something that happened. */
export type WebhookEvent = Identity & {
  data: object;
  /** What is sent instead of type, time and data. */
  body?: object;
  part?: DeliveredPart;
};

/** Receivers may rely on this limit. */
const MAX_BODY_BYTES = 20_000;

/** A UUIDv7 of the event's time and a hash of its subject: emitting it twice gives the same id. */
export function eventIdOf({ type, orgId, subject, at, name }: Identity): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  const hash = createHash('sha256')
    .update(JSON.stringify([orgId, type, subject, ...(name === undefined ? [] : [name])]))
    .digest('hex');
  // The variant's two bits: https://www.rfc-editor.org/rfc/rfc9562#section-5.7
  const variant = ((Number.parseInt(hash.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** The exact text that is signed and sent. Its longest texts, which are URLs, are cut if it is too long. */
export function eventBody({ type, at, data }: Pick<WebhookEvent, 'type' | 'at' | 'data'>): string {
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  const [name, longest] = longestText(data);
  return eventBody({ type, at, data: { ...data, [name]: `${longest.slice(0, longest.length / 2)}…` } });
}

function longestText(data: object): readonly [name: string, text: string] {
  const texts = Object.entries(data).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const [longest] = texts.sort(([, one], [, other]) => other.length - one.length);
  if (longest === undefined || longest[1].length < 2) throw new Error('An event is large without its texts.');
  return longest;
}
