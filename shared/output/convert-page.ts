import { hasRequired } from '../contract/scrape/extract-rules.ts';
import type { Conversion, Converted } from '../contract/scrape/output.ts';
import type { Part } from '../contract/scrape/part.ts';
import { compare } from './change/compare.ts';
import { convert, looksLikeHtml } from './convert.ts';
import { containerOf } from './document/kinds.ts';

/** What a document has, once it is a page of HTML. */
const PARTS: readonly Part[] = ['markdown', 'text', 'clean_html', 'links', 'metadata', 'change'];

/**
 * The parts of a page or of a document, with the `change` of a comparison. Throws `NotConvertible` if it has
 * no such parts. `loaded` is called once the code for a document is there.
 */
export async function convertPage(page: Conversion, loaded = () => {}): Promise<Converted> {
  const { body, contentType, comparison, document: wanted } = page;
  const named = containerOf(body, page);
  // Pages of errors come under the names of the files that they are in place of.
  const container = named === 'csv' && looksLikeHtml(body) ? undefined : named;
  // Rules find nothing in a document, which leaves their values to the model.
  const isLeft = page.isForModel && !hasRequired(page.rules);
  const outputs = isLeft ? page.outputs.filter((output) => output !== 'extract') : page.outputs;
  const hasParts = outputs.length > 0 && outputs.every((output) => PARTS.includes(output));
  if (container === undefined || !hasParts || comparison?.of === 'extract') return convertCompared(page);
  const { readDocument } = await import('./document/read-document.ts');
  const { html, ...document } = await readDocument(body, container, { ...wanted, contentType }, loaded);
  const asPage = { body: Buffer.from(html), contentType: 'text/html; charset=utf-8', scope: 'full' } as const;
  return { ...convertCompared({ ...page, outputs, ...asPage }), document };
}

/** The parts of a page, with its `change` if there is a comparison. Throws what `convert` does. */
export function convertCompared({ comparison, ...page }: Conversion): Converted {
  if (comparison === undefined) return convert(page);
  const { of } = comparison;
  const outputs = page.outputs.filter((output) => output !== 'change');
  const all = convert({ ...page, outputs: [...new Set([...outputs, of])] });
  const { [of]: value, extractReport, ...others } = all;
  const compared = typeof value === 'string' ? value : JSON.stringify(value);
  return {
    ...others,
    ...(outputs.includes(of) && { [of]: value }),
    ...(outputs.includes('extract') && extractReport && { extractReport }),
    ...{ change: compare(compared, comparison), compared },
  };
}
