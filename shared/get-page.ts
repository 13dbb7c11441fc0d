import type { Page } from './contract/page.ts';
import type { ScrapeRequest } from './contract/scrape-request.ts';
import type { Effects, ScrapeContext } from './ports.ts';

/** The page by the way that the request asks for. Throws what the ports throw. */
export function getPage(
  { fetchPage, renderPage }: Pick<Effects, 'fetchPage' | 'renderPage'>,
  request: ScrapeRequest,
  context: ScrapeContext,
): Promise<Page> {
  return request.renderJs ? renderPage(request, context) : fetchPage(request, context);
}
