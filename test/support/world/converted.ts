import type { Conversion } from '../../../shared/contract/scrape/output.ts';
import { convert } from '../../../shared/output/convert.ts';

export const PAGE_URL = 'https://example.com/shop/page';

/** The parts of a page that is served as `text/html` in UTF-8. */
export function converted(html: string, wanted: Partial<Conversion> = {}) {
  const body = Buffer.from(html);
  const page: Conversion = { body, contentType: 'text/html', url: PAGE_URL, outputs: [], scope: 'auto' };
  return convert({ ...page, ...wanted });
}

export const markdownOf = (html: string, scope: Conversion['scope'] = 'full') =>
  converted(html, { outputs: ['markdown'], scope }).markdown?.trimEnd();

export const textOf = (html: string, scope: Conversion['scope'] = 'full') =>
  converted(html, { outputs: ['text'], scope }).text?.trimEnd();
