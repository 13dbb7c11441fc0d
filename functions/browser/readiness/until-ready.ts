import type { RenderState } from '../../../shared/contract/scrape/page.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import type { MainDocument } from '../page/documents.ts';
import type { MainFrame } from '../page/main-frame.ts';
import { type LoadedPage, type Waits, waitUntilReady } from './wait-until-ready.ts';

type Loading = { page: LoadedPage; frame: Pick<MainFrame, 'document'> };

/** Waits as requested, or until `patience` is over, and then for any document. */
export async function untilReady(
  waits: Waits,
  { page, frame }: Loading,
  { patience, whole }: { patience: AbortSignal; whole: AbortSignal },
  requestLog: RequestLog,
): Promise<RenderState> {
  try {
    await page.activity.until(() => frame.document() !== undefined, patience);
    requestLog.enter('wait');
    return await waitUntilReady(waits, page, patience);
  } catch (error) {
    if (!patience.aborted) throw error;
    await page.activity.until(() => hasContent(frame.document()), whole);
    return 'partial';
  }
}

/** Headers without a body are not a document. */
function hasContent(document: MainDocument | undefined): boolean {
  return document !== undefined && (document.bytes > 0 || document.end !== undefined);
}
