import { setImmediate, setTimeout } from 'node:timers/promises';
import { deadline } from '../../../shared/time/deadline.ts';
import type { DocumentReader } from '../page/document-reader.ts';
import type { PageClock } from './page-clock.ts';

/** How long Chromium may take until it draws, and between two tries. */
const [FIRST_FRAME_MS, RETRY_MS] = [1_000, 4];

/** Tries until the page gets a frame. Chromium may draw none at first, though it reports that it did. */
export async function firstFrame(
  clock: Pick<PageClock, 'frame'>,
  reader: Pick<DocumentReader, 'framed'>,
  limit: AbortSignal,
): Promise<void> {
  using patience = deadline(FIRST_FRAME_MS, limit);
  const framed = reader.framed().then(() => 'framed');
  // The page must have been asked before the frame begins.
  await setImmediate();
  let seen: string | undefined;
  while (!seen && !patience.signal.aborted) {
    await clock.frame();
    seen = await Promise.race([framed, setTimeout(RETRY_MS, undefined)]);
  }
}
