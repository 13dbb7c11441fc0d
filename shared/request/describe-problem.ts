import type { z } from 'zod';
import { isJsonObject } from '../contract/json-object.ts';
import type { Json } from '../contract/json-schema.ts';
import { schemasAt } from './schema-at.ts';
import type { Source } from './fault.ts';

type Issue = z.core.$ZodIssue;
type Schema = z.core.JSONSchema.BaseSchema;

/** Zod's own words for a union; a schema with better ones sets `error`. */
const NO_WORDS = 'Invalid input';

/** The problem with a present value, as the end of a sentence. */
export function describeProblem(issue: Issue, schema: Json, source: Source): string {
  const length = lengthProblem(issue);
  if (length !== undefined) return length;
  const hasWords = issue.code === 'invalid_union' && issue.message !== NO_WORDS;
  const isOfKind = ['invalid_type', 'invalid_value', 'too_small', 'too_big', 'invalid_union'].includes(
    issue.code,
  );
  if (hasWords || !isOfKind) return issue.message;
  const kinds = new Set(schemasAt(schema, issue.path).map((each) => kindOf(each, source)));
  return `expected ${listed([...kinds])}`;
}

function lengthProblem(issue: Issue): string | undefined {
  const unit = 'origin' in issue ? UNITS[issue.origin] : undefined;
  if (unit === undefined) return undefined;
  // Zod's own words begin so; a schema may have better ones.
  if (issue.code === 'too_big' && !issue.message.startsWith('Too big')) return issue.message;
  if (issue.code === 'too_big') return `must not be longer than ${issue.maximum} ${unit}`;
  if (issue.code !== 'too_small') return undefined;
  return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} ${unit}`;
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' };

function kindOf(schema: Schema, source: Source): string {
  const { type, enum: options, const: only, additionalProperties } = schema;
  if (only !== undefined) return String(only);
  if (options) return `one of ${options.join(', ')}`;
  if (type === 'boolean') return source === 'query' ? 'true, false, 1 or 0' : 'true or false';
  if (type === 'integer' || type === 'number') return numberKind(schema);
  if (type === 'array') return 'a list';
  if (type !== 'object') return 'a string';
  const isMap = typeof additionalProperties === 'object' && additionalProperties.type === 'string';
  if (isMap) return 'an object of strings';
  return shapeOf(schema) ?? 'an object';
}

/** An object as its schema shows it, if it has an example. */
export function shapeOf({ examples: [example] = [] }: Schema): string | undefined {
  return isJsonObject(example) ? `an object such as ${JSON.stringify(example)}` : undefined;
}

function numberKind({ type, minimum, maximum }: Schema): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${kind} of at least ${minimum}`;
  return maximum === undefined ? kind : `${kind} of at most ${maximum}`;
}

function listed(kinds: readonly string[]): string {
  const last = kinds.at(-1) ?? 'another value';
  return kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} or ${last}` : last;
}
