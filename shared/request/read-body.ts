import type { z } from 'zod';
import { schemaOf } from '../contract/json-schema.ts';
import { explainIssues } from './explain-issues.ts';
import { invalidRequest } from './fault.ts';
import { readJson, type SentBody } from './read-json.ts';

/** The JSON body of a call by its schema. Throws `invalid_request` with every fault. */
export function readBody<S extends z.ZodType>(call: SentBody, type: S): z.output<S> {
  const input = readJson(call);
  const { data, error } = type.safeParse(input);
  const [first, ...others] = error
    ? explainIssues(error.issues, { input, source: 'body', schema: schemaOf(type) })
    : [];
  if (first) throw invalidRequest([first, ...others]);
  return data as z.output<S>;
}
