import { assertFewValues } from './assert-few-values.ts';
import { AppError } from '../errors.ts';
import { MAX_BODY_BYTES, readJson, readLargeJson, type SentBody } from './read-json.ts';

/** A target's body of 256 KiB may be six times as long in JSON, if all of it is escaped. */
const MAX_WHOLE_BYTES = 2_000_000;

/** The JSON of a scrape request: 256 KiB at most, not counting its `body`. Throws what `readJson` throws. */
export function readScrape(call: SentBody): unknown {
  const { body: sent = '' } = call;
  if (Buffer.byteLength(sent) <= MAX_BODY_BYTES || !sent.includes('"body"')) return readJson(call);
  const input = readLargeJson(call, MAX_WHOLE_BYTES);
  assertFewValues(input, 'request body');
  const others = JSON.stringify(input, (name, value: unknown) => (name === 'body' ? undefined : value));
  if (Buffer.byteLength(others) > MAX_BODY_BYTES) throw new AppError('request_too_large');
  return input;
}
