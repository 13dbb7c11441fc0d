import type { Part } from '../../contract/scrape/part.ts';
import type { PageHead } from '../../contract/scrape/page.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { isCharged } from '../../domain/accounts/credits/charge.ts';
import { cutMarkdown } from '../../domain/scrape/extraction/cut-markdown.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { Convert, ScrapeContext } from '../../ports/scrape.ts';

type Asked = Pick<ScrapeRequest, 'format' | 'extractSchema'>;

/** Whether a page is not shown to the model, because it is not charged. */
export const isUnread = ({ extractSchema }: Asked, page: PageHead): boolean =>
  extractSchema !== undefined && !isCharged(page);

/** The parts without values that no model reads. Throws `not_convertible` if nothing else is wanted. */
export function partsWithoutModel(request: Asked, page: PageHead, parts: readonly Part[]): readonly Part[] {
  if (!isUnread(request, page)) return parts;
  if (request.format !== 'extract') return parts.filter((part) => part !== 'extract');
  const { status, url, verdict } = page;
  throw new AppError('not_convertible', {
    message: `The target answered with ${status} or a wall, so nothing is charged and no model reads values from it. Request it with format=html.`,
    fields: {
      ...{ reason: 'uncharged', target_status: status, target_url: url },
      ...(verdict && { verdict: verdict.kind }),
      ...(verdict?.by !== undefined && { verdict_by: verdict.by }),
    },
  });
}

/** Converts a page and, for `extract_schema`, has a model read values from its text. */
export const withModel =
  (
    { convert, readValues }: Pick<Effects, 'convert' | 'readValues'>,
    { extractSchema: schema, extractPrompt: prompt, extractRules: rules }: ScrapeRequest,
    context: ScrapeContext,
  ): Convert =>
  async (conversion, turn) => {
    const wanted = conversion.outputs;
    if (schema === undefined || !wanted.includes('extract')) return convert(conversion, turn);
    const others = rules ? wanted : wanted.filter((output) => output !== 'extract');
    const outputs = [...new Set([...others, 'markdown', 'text'] as const)];
    const converted = await convert({ ...conversion, outputs, isForModel: true }, turn);
    const { markdown = '', text = '', extract: found, extractReport: misses = [], ...rest } = converted;
    context.requestLog.enter('model');
    const question = { schema, prompt, ...cutMarkdown(markdown), text, found };
    const { values, evidence, truncated, tokens } = await readValues(question, context);
    context.requestLog.enter('convert');
    return {
      ...rest,
      ...(wanted.includes('markdown') && { markdown }),
      ...(wanted.includes('text') && { text }),
      ...{ extract: values, extractReport: [...misses, ...evidence], modelTokens: tokens },
      ...(truncated && { extractTruncated: truncated }),
    };
  };
