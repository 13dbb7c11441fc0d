import type { z } from 'zod';
import { schemaOf } from '../contract/json-schema.ts';
import type { Fault } from '../errors.ts';
import { explainIssues } from './explain-issues.ts';
import { invalidRequest, shortened } from './fault.ts';

type SentQuery = { query: Readonly<Record<string, readonly string[] | undefined>> };

/** Query parameters by their schema, numbers as text. Throws `invalid_request` with every fault. */
export function readQuery<S extends z.ZodType>({ query }: SentQuery, type: S): z.output<S> {
  const schema = schemaOf(type);
  const fields = schema.properties as Readonly<Record<string, { type?: string } | undefined>>;
  const twice = Object.entries(query).flatMap(([name, values = []]): Fault[] =>
    values.length > 1
      ? [{ param: shortened(name), message: `Parameter '${shortened(name)}' is given more than once.` }]
      : [],
  );
  const entries = Object.entries(query).map(([name, [text = ''] = []]) => {
    const isNumber = fields[name]?.type === 'integer' && /^\d{1,9}$/.test(text);
    return [name, isNumber ? Number(text) : text] as const;
  });
  const input = Object.fromEntries(entries);
  const { data, error } = type.safeParse(input);
  const issues = error ? explainIssues(error.issues, { input, source: 'query', schema }) : [];
  const [first, ...others] = [...twice, ...issues];
  if (first) throw invalidRequest([first, ...others]);
  return data as z.output<S>;
}
