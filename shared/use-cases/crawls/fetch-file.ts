import { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { type AppError, toAppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import { deadline } from '../../time/deadline.ts';
import { type Judged, judgedPage } from '../scrape/judged-page.ts';

export type FetchNeeds = Pick<Effects, 'fetchPage' | 'renderPage'>;

/** Of one file, so that a single slow one does not take the time of all. */
const FILE_MS = 20_000;

const plain = ScrapeRequest.parse({ url: 'https://example.com/' });

/** A page or another file of a site by a plain request, or why it did not come. */
export async function fetchFile(
  fx: FetchNeeds,
  url: string,
  context: ScrapeContext,
): Promise<Judged | AppError> {
  using limit = deadline(FILE_MS, context.signal);
  try {
    return await judgedPage(fx, { ...plain, url }, { ...context, ...limit });
  } catch (error) {
    return toAppError(error);
  }
}

/** Whether the host itself may not be scraped, and not only what it redirects to. */
export const isForbidden = ({ code, fields }: AppError): boolean =>
  code === 'url_not_allowed' && fields['reason'] !== 'redirect';
