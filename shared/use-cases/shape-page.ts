import { type Converted, type Output, outputsOf } from '../contract/output.ts';
import type { Page } from '../contract/page.ts';
import { cookiesOf } from '../contract/response-headers.ts';
import type { ScrapeRequest } from '../contract/scrape-request.ts';
import type { Effects, ScrapeContext } from '../ports.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const TYPES: Readonly<Record<Output, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  links: JSON_TYPE,
  metadata: JSON_TYPE,
  extract: JSON_TYPE,
};

/** The page in the format of its request, under the type of that. Throws `not_convertible`. */
export async function shapePage(
  { convert }: Pick<Effects, 'convert'>,
  request: ScrapeRequest,
  page: Page,
  { trail, signal }: ScrapeContext,
): Promise<Page> {
  const { format = 'html', scope = 'auto', extractRules: rules } = request;
  if (format === 'html') return page;
  trail.enter('convert');
  const { body, contentType, url } = page;
  const outputs = outputsOf(request);
  const converted = await convert({ body, contentType, url, outputs, scope, rules }, signal);
  const shaped = { ...page, content: converted.content };
  if (format === 'json') {
    const envelope = JSON.stringify({ ...aboutPage(page), ...members(converted) });
    return { ...shaped, contentType: JSON_TYPE, body: Buffer.from(envelope) };
  }
  const value = converted[format];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...shaped, contentType: TYPES[format], body: Buffer.from(text) };
}

function aboutPage(page: Page) {
  const { url, status, redirects, contentType, renderState, report, captured, verdict, headers = {} } = page;
  return {
    url,
    status,
    redirects,
    content_type: contentType,
    render_state: renderState,
    verdict: verdict?.kind,
    verdict_by: verdict?.by,
    price: verdict?.price,
    headers,
    cookies: cookiesOf(headers),
    ...(report && { scenario: report }),
    ...(captured && { capture: captured }),
  };
}

const members = ({ content, extractReport, ...parts }: Converted) => ({
  ...parts,
  ...(content && { content_scope: content.scope, content_coverage: content.coverage }),
  ...(extractReport && { extract_report: extractReport }),
});
