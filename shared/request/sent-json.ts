import type { SentBody } from './read-json.ts';

/** A body as a caller would send it. */
export const sentJson = (body: object): SentBody => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
