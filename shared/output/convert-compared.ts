import type { Conversion, Converted } from '../contract/scrape/output.ts';
import { compare } from './change/compare.ts';
import { convert } from './convert.ts';

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
