import { type Page, sentContentType } from '../../shared/contract/scrape/page.ts';
import { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { FILE_HOST, fileType, fileUrl, parseFields } from '../../shared/compat/parse-options.ts';
import { readOptions } from '../../shared/compat/read-options.ts';
import { ScrapeOptions } from '../../shared/compat/scrape-options.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { assertFewValues } from '../../shared/request/assert-few-values.ts';
import { checkedRequest, type TargetPolicy } from '../../shared/request/parse-scrape-request.ts';
import { readForm } from '../../shared/request/read-form.ts';
import { parseJson } from '../../shared/request/read-json.ts';
import { scrapeNow, type ScrapeNeeds } from './scrape-now.ts';

/** The contents of a file that is in the request itself: a plain scrape whose page is there already. */
export async function parseFile(
  fx: ScrapeNeeds,
  { hasModel = false }: TargetPolicy,
  call: AuthenticatedCall,
) {
  const { file, fields: form } = await readForm(call, 'file');
  const contentType = fileType(file);
  const sent = parseJson(form['options'] ?? '{}', 'field options');
  assertFewValues(sent, 'field options');
  const { fields, warnings } = parseFields(readOptions(ScrapeOptions, sent));
  const url = fileUrl(file.name);
  const policy = { allow: [`${FILE_HOST}:443`], hasModel };
  const request = checkedRequest(ScrapeRequest, { input: { url, ...fields }, source: 'body' }, [], policy);
  const page: Page = {
    ...{ url, status: 200, redirects: 0, ...sentContentType(contentType), body: file.bytes },
    // A file that looks like a wall is charged too.
    verdict: { kind: 'page' },
  };
  const scraped = await scrapeNow({ ...fx, fetchPage: () => Promise.resolve(page) }, request, call);
  return { ...scraped, request, sourceUrl: file.name, warnings };
}
