import type { Envelope } from '../../contract/scrape/envelope.ts';
import { type Converted, sourceParts } from '../../contract/scrape/output.ts';
import type { Part } from '../../contract/scrape/part.ts';
import type { Page } from '../../contract/scrape/page.ts';
import { type Pictures, picturesIn } from '../../contract/scrape/picture.ts';
import { cookiesOf } from '../../contract/scrape/response-headers.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { assertPaid } from '../../domain/accounts/credits/charge.ts';
import { AppError } from '../../errors.ts';
import { type CompareNeeds, comparedParts } from './compare-page.ts';
import { partsWithoutModel, withModel } from './model-values.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';

export type ShapeNeeds = CompareNeeds & Pick<Effects, 'readValues'>;

const JSON_TYPE = 'application/json; charset=utf-8';
const TYPES: Readonly<Record<Part, string>> = {
  html: 'text/html; charset=utf-8',
  clean_html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  links: JSON_TYPE,
  images: JSON_TYPE,
  metadata: JSON_TYPE,
  extract: JSON_TYPE,
  change: JSON_TYPE,
};

/** The page in the format of its request, under the type of that. Throws `not_convertible`. */
export async function shapePage(
  fx: ShapeNeeds,
  request: ScrapeRequest,
  page: Page,
  context: ScrapeContext,
): Promise<Page> {
  try {
    return await shaped(fx, request, page, context);
  } catch (error) {
    throw error instanceof AppError ? error.reporting(page.report) : error;
  }
}

async function shaped(
  fx: ShapeNeeds,
  request: ScrapeRequest,
  { pictures = {}, ...page }: Page,
  context: ScrapeContext,
): Promise<Page> {
  const { format = 'html', scope = 'auto', extractRules: rules } = request;
  const { includeSelectors: include, excludeSelectors: exclude, renderJs: isRendered, document } = request;
  if (format === 'html') return page;
  context.requestLog.enter('convert');
  assertPictures(request, page, pictures);
  if (format === 'screenshot' || format === 'pdf') return { ...page, ...pictureOf(pictures, format) };
  const { body, contentType, url } = page;
  const convert = withModel({ ...fx, convert: paid(fx, request, context) }, request, context);
  const outputs = partsWithoutModel(request, page, sourceParts(request));
  const converted =
    outputs.length > 0
      ? await comparedParts(
          { ...fx, convert },
          request,
          page,
          { body, contentType, url, outputs, scope, include, exclude, rules, isRendered, document },
          context,
        )
      : {};
  const whole = { ...page, ...readOf(converted) };
  if (format === 'json') {
    const envelope: Envelope = { ...aboutPage(page), ...members(converted), ...encoded(pictures) };
    return { ...whole, contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(envelope)) };
  }
  const value = converted[format];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...whole, contentType: TYPES[format], body: Buffer.from(text) };
}

/** Fails for documents that are not paid for, before they are kept as results to compare with. */
const paid =
  (
    { convert }: CompareNeeds,
    request: ScrapeRequest,
    balance: Pick<ScrapeContext, 'heldCredits' | 'spareCredits'>,
  ): CompareNeeds['convert'] =>
  async (conversion, context) => {
    const converted = await convert(conversion, context);
    assertPaid(request, converted, balance);
    return converted;
  };

/** A file, such as an image, is not rendered. A page that is not charged may come without pictures. */
function assertPictures(
  request: ScrapeRequest,
  { contentType = 'of unknown type', renderState, status }: Page,
  pictures: Pictures,
): void {
  const missing = picturesIn(request).find((picture) => pictures[picture] === undefined);
  const isUnpaid = renderState !== undefined;
  if (missing === undefined || (isUnpaid && request.format === 'json')) return;
  const why = isUnpaid
    ? `The target answered with ${status} or a wall after its page was changed by the scenario, so nothing is charged and no ${missing} is delivered.`
    : `This page is ${contentType}, which is not rendered, so it has no ${missing}.`;
  throw new AppError('not_convertible', {
    message: `${why} Request it with format=html.`,
    fields: { reason: isUnpaid ? 'uncharged' : 'type' },
  });
}

function pictureOf({ screenshot, pdf }: Pictures, format: 'screenshot' | 'pdf'): Partial<Page> {
  if (format === 'pdf') return pdf ? { contentType: 'application/pdf', body: pdf.body } : {};
  return screenshot ? { contentType: `image/${screenshot.type}`, body: screenshot.body } : {};
}

function encoded({ screenshot, pdf }: Pictures) {
  return {
    ...(screenshot && { screenshot: withBase64(screenshot) }),
    ...(pdf && { pdf: withBase64(pdf) }),
  };
}

function withBase64<P extends { body: Uint8Array }>({ body, ...about }: P) {
  return { ...about, base64: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64') };
}

function aboutPage(page: Omit<Page, 'pictures'>) {
  const { url, status, redirects, contentType, renderState, renderWaiting, contentTruncated, verdict } = page;
  const { report, captured, headers = {} } = page;
  return {
    url,
    status,
    redirects,
    content_type: contentType,
    render_state: renderState,
    render_waiting: renderWaiting,
    content_truncated: contentTruncated,
    verdict: verdict?.kind,
    verdict_by: verdict?.by,
    price: verdict?.price,
    headers,
    cookies: cookiesOf(headers),
    ...(report && { scenario: report }),
    ...(captured && { capture: captured }),
  };
}

/** What was read of a page. */
const readOf = ({ content, document, modelTokens, extractTruncated }: Converted) => ({
  ...{ content, document },
  ...(modelTokens && { modelTokens, extractTruncated }),
});

const members = ({ content, document, ...rest }: Converted) => {
  const { extractReport, extractTruncated, modelTokens, ...parts } = rest;
  return {
    ...parts,
    ...(document && { document_type: document.kind, document_pages: document.pages }),
    ...(content && { content_scope: content.scope, content_coverage: content.coverage }),
    ...(extractReport && { extract_report: extractReport }),
    ...(extractTruncated && { extract_truncated: extractTruncated }),
    ...(modelTokens && { model_tokens: modelTokens }),
  };
};
