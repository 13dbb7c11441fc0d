import { z } from 'zod';

/** What the time of a scrape goes to, in the order of its way. */
export const Phase = z.enum([
  /** Who is calling, and whether there is room and credit for it. */
  'admission',
  /** A job that may be run waits for a worker. */
  'queue',
  'fetch',
  /** Calling the browser function, and its answer's way back. */
  'invoke',
  'launch',
  /** Until the document arrives. */
  'navigation',
  /** What the request asks to be waited for. */
  'wait',
  'serialise',
  'store',
  /** Until the caller has the answer's last byte. */
  'send',
  /** Slot and credits: of a scrape only what is left of it when the answer is sent. */
  'settle',
  /** Until the caller has all of a browser's answer, and the browser is gone. */
  'close',
  'relaunch',
]);
export type Phase = z.infer<typeof Phase>;

export const PhaseTimes = z.partialRecord(Phase, z.int().nonnegative());
export type PhaseTimes = z.infer<typeof PhaseTimes>;
