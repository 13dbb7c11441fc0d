import { z } from 'zod';

/** The phases of a scrape, in order. */
export const Phase = z.enum([
  /** Authentication and admission. */
  'admission',
  /** A due job waits for a worker. */
  'queue',
  'fetch',
  /** The transfer to and from the browser function. */
  'invoke',
  'launch',
  /** Until the document arrives. */
  'navigation',
  /** The waits that the request sets. */
  'wait',
  'serialise',
  /** Screenshot and PDF. */
  'picture',
  /** The page becomes what the request wants of it. */
  'convert',
  /** A model reads values from the page. */
  'model',
  'store',
  /** Until the caller has received the last byte of the response. */
  'send',
  /** Frees the slot and charges credits: for a scrape, only the part after its response. */
  'settle',
  /** Until the browser function's response is received, and the browser is closed. */
  'close',
  'relaunch',
]);
export type Phase = z.infer<typeof Phase>;

export const PhaseTimes = z.partialRecord(Phase, z.int().nonnegative());
export type PhaseTimes = z.infer<typeof PhaseTimes>;
