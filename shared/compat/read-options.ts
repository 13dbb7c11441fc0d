import type { z } from 'zod';
import { isJsonObject } from '../contract/json-object.ts';
import { schemaOf } from '../contract/json-schema.ts';
import { explainIssues } from '../request/explain-issues.ts';
import { invalidRequest } from '../request/fault.ts';

/** A body of `/v2` by its schema; `null` is an absent option. Throws `invalid_request` with every fault. */
export function readOptions<S extends z.ZodType>(type: S, sent: unknown): z.output<S> {
  const input = withoutNulls(sent);
  const { data, error } = type.safeParse(input);
  const faults = error ? explainIssues(error.issues, { input, source: 'body', schema: schemaOf(type) }) : [];
  const [first, ...others] = faults.map(({ param, message }) => ({
    ...(param !== undefined && { param }),
    message: message.replace(/^Unknown field/, 'Unrecognized key in body:'),
  }));
  if (first) throw invalidRequest([first, ...others]);
  return data as z.output<S>;
}

function withoutNulls(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const present = Object.entries(value).filter(([, each]) => each !== null);
  // In a schema, null is a value.
  const nested = (name: string, each: unknown) => (name === 'schema' ? each : withoutNulls(each));
  return Object.fromEntries(present.map(([name, each]) => [name, nested(name, each)]));
}
