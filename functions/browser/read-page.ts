import type { Page, RenderState } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import type { Trail } from '../../shared/observe/trail.ts';
import type { MainDocument } from './page/documents.ts';
import { type MainFrame, withSign } from './page/main-frame.ts';
import type { TakePictures } from './capture/pictures-of.ts';
import type { LoadedPage } from './readiness/wait-until-ready.ts';

const MAX_READS = 5;

type Reading = {
  page: Pick<LoadedPage, 'reader'>;
  frame: Pick<MainFrame, 'document' | 'isTruncated'>;
  takePictures: TakePictures | undefined;
  trail: Trail;
};

/** Waits `again` after each navigation. */
export async function readPage(
  first: RenderState,
  again: () => Promise<RenderState>,
  { page, frame, takePictures, trail }: Reading,
): Promise<Page> {
  let renderState = first;
  for (let readsLeft = MAX_READS; readsLeft > 0; readsLeft -= 1) {
    trail.enter('serialise');
    const before = frame.document();
    const body = await page.reader.read();
    if (takePictures) trail.enter('picture');
    const pictures = body && (await takePictures?.());
    const shown = frame.document();
    // The frame may have navigated meanwhile: the body must belong to the reported document.
    if (body && shown && shown.id === before?.id) {
      const page = { ...pageOf(shown, renderState, body), pictures };
      return withSign(page, await frame.isTruncated(shown));
    }
    renderState = await again();
  }
  throw new AppError('bad_upstream_response', { cause: new Error('The page never stays.') });
}

function pageOf(
  { status, url, redirects, headers, end }: MainDocument,
  state: RenderState,
  body: Uint8Array,
): Page {
  // Chromium renders nothing if only a few bytes arrived.
  if (end === 'cut off' && body.byteLength === 0) throw new AppError('bad_upstream_response');
  const renderState = end === 'cut off' ? 'partial' : state;
  return { status, url, redirects, headers, contentType: 'text/html; charset=utf-8', renderState, body };
}
