import { BatchItem } from '../contract/batches/batch-request.ts';
import { isJsonObject } from '../contract/json-object.ts';
import { type LineNames, namesOf } from '../domain/batches/line-names.ts';
import { assertCap } from '../domain/accounts/credits/charge.ts';
import { AppError, toAppError } from '../errors.ts';
import { assertFewValues } from './assert-few-values.ts';
import { invalidRequest } from './fault.ts';
import { checkedRequest, type TargetPolicy } from './parse-scrape-request.ts';
import { parseJson } from './read-json.ts';

type Fields = Readonly<Record<string, unknown>>;
type Reading = { defaults: Fields; policy: TargetPolicy };

/** A request, or why the line is not a valid one; with its URL and custom id if known. */
export type ReadLine = LineNames &
  ({ item: BatchItem; error?: undefined } | { item?: undefined; error: AppError });

/** The request in a line of a batch, with defaults filled in. Without `text` the line is too long. */
export function readLine(text: string | undefined, { defaults, policy }: Reading): ReadLine {
  if (text === undefined)
    return { error: new AppError('request_too_large', { message: 'The line is longer than 256 KiB.' }) };
  try {
    const own = parsed(text);
    const known = namesOf(own);
    try {
      const item = checkedRequest(BatchItem, { input: { ...defaults, ...own }, source: 'body' }, [], policy);
      assertCap(item);
      return { ...known, item };
    } catch (error) {
      return { ...known, error: toAppError(error) };
    }
  } catch (error) {
    return { error: toAppError(error) };
  }
}

function parsed(text: string): Fields {
  const json = parseJson(text, 'line');
  assertFewValues(json, 'line');
  if (!isJsonObject(json)) throw invalidRequest([{ message: 'The line must be a JSON object.' }]);
  return json;
}
