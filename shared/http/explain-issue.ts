import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { fieldSchemas } from './field-schemas.ts';

/** Where the fields of a request stand. */
export type Source = 'query' | 'body';

type Issue = z.core.$ZodIssue;

/** Longer than any field by far: such names are neither compared with those of fields nor repeated whole. */
const MAX_NAME = 64;

/** Further off than this, or than half of its letters, a field name is no misspelling. */
const MAX_TYPOS = 3;

/** What a caller is told of the issues with a request: first of a field that is none, in words and not in Zod's. */
export function explainIssue(issues: readonly Issue[], input: unknown, source: Source): AppError {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown) return unknownField(unknown.keys[0] ?? '', source);
  const [issue] = issues;
  const [field] = issue?.path ?? [];
  if (issue === undefined || field === undefined)
    return new AppError('invalid_request', { message: 'The request body must be a JSON object.' });
  const param = String(field);
  if (!Object.hasOwn(input as object, param)) return invalidField(param, `Field '${param}' is required.`);
  const { path, problem } = innermost(issue, source);
  return invalidField(param, `Invalid value for '${path.map(shortened).join('.')}': ${problem}.`);
}

/** An `invalid_request` about one field. */
export function invalidField(param: string, message: string): AppError {
  return new AppError('invalid_request', { message, fields: { param: shortened(param) } });
}

/** A name as a message repeats it. */
export function shortened(name: PropertyKey): string {
  const text = String(name);
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}

function unknownField(name: string, source: Source): AppError {
  const meant = nearestTo(name);
  const hints = [
    meant === undefined ? '' : ` Did you mean '${meant}'?`,
    source === 'query' ? ' If it belongs to the target, percent-encode the url.' : '',
  ];
  return invalidField(name, `Unknown field '${shortened(name)}'.${hints.join('')}`);
}

/** Comparing takes as long as both names together, for each field there is. */
function nearestTo(name: string): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const nearest = closest(name.toLowerCase(), Object.keys(fieldSchemas));
  const typos = distance(name.toLowerCase(), nearest);
  return typos <= Math.min(MAX_TYPOS, Math.floor(name.length / 2)) ? nearest : undefined;
}

/** Of a field that may be one thing or another, what is wrong inside of it says more than that it is neither. */
function innermost(issue: Issue, source: Source): { path: PropertyKey[]; problem: string } {
  const inner = issue.code === 'invalid_union' && issue.errors.flat().find(({ path }) => path.length > 0);
  if (inner) return { path: [...issue.path, ...inner.path], problem: 'expected a string' };
  return { path: issue.path, problem: problemOf(issue, source) };
}

function problemOf(issue: Issue, source: Source): string {
  const isLength = 'origin' in issue && issue.origin === 'string';
  if (isLength && issue.code === 'too_small') return 'must not be empty';
  if (isLength && issue.code === 'too_big') return `must not be longer than ${issue.maximum} characters`;
  if (!['invalid_type', 'invalid_value', 'too_small', 'too_big'].includes(issue.code)) return issue.message;
  const [field, ...within] = issue.path;
  return `expected ${within.length > 0 ? 'a string' : expectedOf(fieldSchemas[String(field)] ?? {}, source)}`;
}

function expectedOf({ type, enum: options, minimum, maximum }: z.core.JSONSchema.BaseSchema, source: Source) {
  if (options) return `one of ${options.join(', ')}`;
  if (type === 'boolean') return source === 'query' ? 'true, false, 1 or 0' : 'true or false';
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  return type === 'object' ? 'an object of strings' : 'a string';
}
