import type { Page } from '../../contract/scrape/page.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { unpaidError } from '../../domain/scrape/scenario/unpaid.ts';
import { toAppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import { assertComparable } from './compare-page.ts';
import { climbLadder, type LadderNeeds } from './climb-ladder.ts';
import { judgedPage, requestedParts } from './judged-page.ts';

export type PageNeeds = LadderNeeds & Pick<Effects, 'count'>;

/** Fetches or renders the page and takes from it what is requested. Throws the ports' errors. */
export async function getPage(fx: PageNeeds, request: ScrapeRequest, context: ScrapeContext): Promise<Page> {
  const { count } = fx;
  const { requestLog } = context;
  assertComparable(fx, request);
  try {
    const page = await (request.mode ? climbLadder(fx, request, context) : straight(fx, request, context));
    requestLog.note({ targetStatus: page.status, bytes: page.body.byteLength });
    count('ScrapeSucceeded', 1);
    return page;
  } catch (fault) {
    const error = unpaidError(fault, request);
    const { code } = toAppError(error);
    // A page came, though its job wants another one.
    count('ScrapeSucceeded', code === 'target_status' ? 1 : 0);
    if (code !== 'target_status') count('ScrapeFailed', 1, code);
    throw error;
  }
}

async function straight(fx: PageNeeds, request: ScrapeRequest, context: ScrapeContext): Promise<Page> {
  return requestedParts(fx, request, await judgedPage(fx, request, context), context);
}
