import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import { MAX_PICTURE_BYTES, type Pictures } from '../../../shared/contract/scrape/picture.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Network } from '../page/network.ts';
import { screenOf } from '../page/emulate-view.ts';
import type { LoadedPage } from '../readiness/settle.ts';
import { printPdf } from './print-pdf.ts';
import { takeScreenshot } from './screenshot.ts';
import { openCaptureContext } from './capture-context.ts';

/** The pictures that a request wants of its page; undefined if none. */
export type TakePictures = () => Promise<Pictures>;

export function picturesOf(
  request: RenderRequest,
  page: LoadedPage,
  network: Pick<Network, 'on'>,
  signal: AbortSignal,
): TakePictures | undefined {
  const { screenshot, pdf, waitUntil } = request;
  if (!screenshot && !pdf) return undefined;
  const context = openCaptureContext({ page, network, isVirtual: waitUntil === 'settled', signal });
  return async () => {
    page.clock.startDrawing();
    const { deviceScaleFactor } = screenOf(request);
    const shot = screenshot && (await takeScreenshot(context, screenshot, deviceScaleFactor));
    const printed = pdf && (await printPdf(context, pdf));
    if ((shot?.body.byteLength ?? 0) + (printed?.byteLength ?? 0) > MAX_PICTURE_BYTES)
      throw new AppError('response_too_large', { message: 'The pictures are larger than 37 MB together.' });
    return { ...(shot && { screenshot: shot }), ...(printed && { pdf: { body: printed } }) };
  };
}
