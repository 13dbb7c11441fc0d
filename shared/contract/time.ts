import { z } from 'zod';

/** A Date inside, ISO 8601 UTC text outside. */
export const isoDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** A Date inside, unix seconds outside: the form that DynamoDB's time to live reads. */
export const epochSeconds = z.codec(z.int(), z.date(), {
  decode: (seconds) => new Date(seconds * 1_000),
  encode: (date) => Math.floor(date.getTime() / 1_000),
});
