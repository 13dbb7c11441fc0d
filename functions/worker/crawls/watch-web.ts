import { type Kind, kindOf } from '../../../shared/contract/scrape/mode.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { GetPage } from '../../../shared/ports/scrape.ts';

type Web = Pick<Effects, 'fetchPage' | 'renderPage'>;

/** The web, and the pages of it as they came. `started`: called as each request begins. */
export function watchWeb({ fetchPage, renderPage }: Web, started: () => void) {
  const came = new Map<Kind, Page>();
  let last: Page | undefined;
  const watched =
    (getPage: GetPage): GetPage =>
    async (request, context) => {
      started();
      last = await getPage(request, context);
      came.set(kindOf(request), last);
      return last;
    };
  return {
    web: { fetchPage: watched(fetchPage), renderPage: watched(renderPage) },
    /** What a page was made from: of its rung, or the last one. */
    rawOf: ({ rung }: Page): Page | undefined => (rung && came.get(rung)) ?? last,
  };
}
