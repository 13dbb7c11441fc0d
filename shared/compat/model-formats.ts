import { z } from 'zod';
import type { Extracted } from '../contract/scrape/output.ts';
import { type Fields, refused } from './mapped.ts';

/** The options of the format `json`. */
export const JsonFormat = z
  .strictObject({ type: z.string(), schema: z.record(z.string(), z.unknown()), prompt: z.string().min(1) })
  .partial({ schema: true, prompt: true })
  .refine(({ schema, prompt }) => schema !== undefined || prompt !== undefined, {
    error: 'expected a schema or a prompt',
  });

type Schema = Record<string, unknown>;

const SUMMARY: Schema = {
  type: 'string',
  description: 'What the page says, in two to five sentences, in the language of the page.',
};

/**
 * What a model reads from a page for the formats that need one: an object with an answer to each, because
 * results are read without their request. Throws `invalid_request`.
 */
export function modelFields(formats: readonly Fields[]): Fields {
  const wanted = formats.filter(({ type }) => type === 'json');
  if (wanted.length > 1) throw refused('formats', 'The format json may be there once.');
  const [json] = wanted;
  const properties: Schema = {
    ...(json && { json: nested((json['schema'] as Schema | undefined) ?? { type: 'object' }) }),
    ...(formats.some(({ type }) => type === 'summary') && { summary: SUMMARY }),
  };
  const names = Object.keys(properties);
  if (names.length === 0) return {};
  return {
    extract_schema: { type: 'object', properties, required: names },
    ...(json?.['prompt'] !== undefined && { extract_prompt: json['prompt'] }),
  };
}

const PLACE = '#/properties/json';

/** A schema for the property `json`, with its references led there. Generators name dialects. */
function nested({ $schema: _dialect, $id: _id, ...schema }: Schema): Schema {
  return withReferences(schema) as Schema;
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === '$ref' && typeof each === 'string' && /^#(?:\/|$)/.test(each)
        ? PLACE + each.slice(1)
        : withReferences(each),
    ]),
  );
}

/** What a model has read, by the names of `/v2`. */
export function modelMembers({ json, summary }: Extracted): Record<string, unknown> {
  return { ...(json !== undefined && { json }), ...(summary !== undefined && { summary }) };
}
