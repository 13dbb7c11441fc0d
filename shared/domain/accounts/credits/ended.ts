import type { PageHead } from '../../../contract/scrape/page.ts';
import type { ScrapeRequest } from '../../../contract/scrape/scrape-request.ts';
import type { AppError } from '../../../errors.ts';
import { charge, kindOfError, kindOfPage } from './charge.ts';
import { reasonOfError, reasonOfPage } from './credits-reason.ts';
import type { Ended } from './usage-days.ts';

type Wanted = Pick<ScrapeRequest, 'renderJs' | 'premiumProxy'>;
type Came = Pick<PageHead, 'status' | 'verdict' | 'rung' | 'cache' | 'document'>;

/** How a scrape ended that brought a page. */
export function endOfPage(request: Wanted, page: Came): Ended {
  const charged = charge(request, page);
  return { kind: kindOfPage(request, page), reason: reasonOfPage(charged, page), charged };
}

/** How a scrape ended that failed. */
export function endOfError(request: Wanted, { code, fields }: Pick<AppError, 'code' | 'fields'>): Ended {
  return { kind: kindOfError(request, fields), reason: reasonOfError(code), charged: 0 };
}
