import type { Envelope } from '../../shared/contract/scrape/envelope.ts';
import { documentOf } from '../../shared/compat/document.ts';
import { MapBody, mapFields, mapLinks } from '../../shared/compat/map-options.ts';
import { readOptions } from '../../shared/compat/read-options.ts';
import { ScrapeBody, scrapeFields } from '../../shared/compat/scrape-options.ts';
import type { MapRequest } from '../../shared/contract/crawls/map.ts';
import { howOf } from '../../shared/contract/scrape/mode.ts';
import { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { CREDITS_REASON } from '../../shared/http/problem.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import {
  checkedRequest,
  mapRequestFrom,
  type TargetPolicy,
} from '../../shared/request/parse-scrape-request.ts';
import { readJson } from '../../shared/request/read-json.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { pictureLinks } from '../../shared/use-cases/scrape/picture-links.ts';
import { parseFile } from './parse-file.ts';
import { scrapeNow, type ScrapeNeeds } from './scrape-now.ts';

type Needs = ScrapeNeeds & Pick<Effects, 'now' | 'results'>;
type MapNow = (request: MapRequest, call: AuthenticatedCall) => Promise<Reply>;

/** Scrapes, maps and contents of files in the words of `/v2`. */
export function compatScrapes(
  fx: Needs,
  policy: TargetPolicy,
  mapNow: MapNow,
): Pick<Operations<'scraper'>, 'compatScrape' | 'compatMap' | 'compatParse'> {
  return {
    compatScrape: async (call) => {
      const { url: sourceUrl, ...options } = readOptions(ScrapeBody, readJson(call));
      const { fields, warnings } = scrapeFields(options);
      const input = { url: sourceUrl, ...fields };
      const request = checkedRequest(ScrapeRequest, { input, source: 'body' }, [], policy);
      const scraped = await scrapeNow(fx, request, call);
      return document(fx, { ...scraped, request, sourceUrl, warnings }, call);
    },

    compatParse: async (call) => document(fx, await parseFile(fx, policy, call), call),

    compatMap: async (call) => {
      const { fields, warnings } = mapFields(readOptions(MapBody, readJson(call)));
      const headers = { ...call.headers, accept: 'application/json' };
      const { body, headers: sent } = await mapNow(mapRequestFrom(fields, policy), { ...call, headers });
      if (typeof body !== 'string') throw new Error('A map as JSON is a text');
      const { links, warning } = mapLinks(JSON.parse(body), warnings);
      return succeeded({ id: call.requestId, links }, warning, sent);
    },
  };
}

type Scraped = Awaited<ReturnType<typeof parseFile>>;

async function document(
  fx: Needs,
  { page, ended, request, sourceUrl, warnings }: Scraped,
  { requestId: scrapeId, session }: AuthenticatedCall,
): Promise<Reply> {
  const envelope = JSON.parse(Buffer.from(page.body).toString()) as Envelope;
  const isPremium = page.rung === undefined ? request.premiumProxy : howOf(page.rung).premiumProxy;
  const { cache, age } = page;
  const scrape = { sourceUrl, scrapeId, credits: ended.charged, isPremium, cache, age, at: fx.now() };
  const linkTo = pictureLinks(fx, session.organization.id);
  const data = await documentOf({ envelope, ...scrape, warnings }, linkTo);
  return succeeded({ data }, data.warning, { [CREDITS_REASON]: ended.reason });
}

function succeeded(body: object, warning: string | undefined, headers: Reply['headers']): Reply {
  return json(200, { success: true, ...body, ...(warning !== undefined && { warning }) }, headers);
}
