import type { z } from 'zod';
import type { Json } from '../contract/json-schema.ts';
import { fieldsOfJobs } from '../contract/jobs/job-request.ts';
import { sliceFields } from '../contract/scrape/slice.ts';
import type { Fault } from '../errors.ts';
import { describeProblem, shapeOf } from './describe-problem.ts';
import { MAX_FAULTS, pathText, type Source } from './fault.ts';
import { nearestTo } from './nearest-to.ts';
import { fieldPath, namesAt, schemasAt, type Path } from './schema-at.ts';

export type Reading = { input: unknown; source: Source; schema: Json };

type Issue = z.core.$ZodIssue;

/** Turns each of Zod's issues into a fault. Unknown fields come first. */
export function explainIssues(issues: readonly Issue[], reading: Reading): Fault[] {
  const found = issues.flatMap(innermostIssues).sort((a, b) => a.path.length - b.path.length);
  const unknown = found.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? unknownFields(issue, reading) : [],
  );
  const suggested = new Set(unknown.map(({ meant }) => meant));
  const others = found
    .filter(({ code }) => code !== 'unrecognized_keys')
    .map((issue) => ({ issue, isAbsent: isMissing(reading.input, issue.path) }))
    .filter(({ issue, isAbsent }) => !(isAbsent && suggested.has(pathText(issue.path))))
    .map(({ issue, isAbsent }) => (isAbsent ? required(issue, reading) : invalid(issue, reading)));
  return distinct([...unknown.map(({ fault }) => fault), ...others]);
}

/** Two rules may find the same fault. */
export function distinct(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.param} ${fault.message}`, fault])).values()];
}

function unknownFields({ keys, path }: Issue & { code: 'unrecognized_keys' }, { source, schema }: Reading) {
  const names = namesAt(schema, path);
  const shape = path.length > 0 && schemasAt(schema, path).map(shapeOf).find(Boolean);
  return keys.slice(0, MAX_FAULTS).map((key) => {
    const isOfScrapes = names.includes('render_js') && key in sliceFields;
    const nearest = isOfScrapes ? undefined : nearestTo(key, names);
    const isOfJobs = nearest === undefined && names.includes('render_js') && fieldsOfJobs.includes(key);
    const hints = [
      nearest === undefined ? '' : ` Did you mean '${nearest}'?`,
      nearest === undefined && shape ? ` Expected ${shape}.` : '',
      isOfJobs ? ' Single jobs take it: POST /api/v1/scraper/jobs.' : '',
      isOfScrapes ? ' Results of a batch are whole.' : '',
      source === 'query' && names.includes('url') && !isOfJobs
        ? ' If it belongs to the target, percent-encode the url.'
        : '',
    ];
    const param = pathText([...path, key]);
    const fault = { param, message: `Unknown field '${param}'.${hints.join('')}` };
    return { fault, meant: nearest && pathText([...path, nearest]) };
  });
}

function required({ path }: Issue, { schema }: Reading): Fault {
  return { param: pathText(fieldPath(schema, path)), message: `Field '${pathText(path)}' is required.` };
}

function invalid(issue: Issue, { source, schema }: Reading): Fault {
  const { path } = issue;
  if (path.length === 0) return { message: 'The request body must be a JSON object.' };
  const problem = describeProblem(issue, schema, source);
  return {
    param: pathText(fieldPath(schema, path)),
    message: `Invalid value for '${pathText(path)}': ${problem}.`,
  };
}

function isMissing(input: unknown, path: Path): boolean {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((node, key) => (node as Json | undefined)?.[String(key)], input);
  const name = path.at(-1);
  return name !== undefined && typeof parent === 'object' && parent !== null && !Object.hasOwn(parent, name);
}

/** Issues at the root of an alternative that mean that the value is not of its kind at all. */
const OTHER_KIND: readonly string[] = ['invalid_type', 'invalid_value', 'invalid_union'];

/** The issues inside the alternative of a union that is closest to the value, else the union's own issue. */
function innermostIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const candidates = issue.errors
    .map((errors) => errors.flatMap(innermostIssues))
    .filter((errors) => !errors.some(({ path, code }) => path.length === 0 && OTHER_KIND.includes(code)));
  const [closest] = candidates.sort((a, b) => unknownNames(a) - unknownNames(b) || a.length - b.length);
  if (closest === undefined) return [issue];
  // Among several, the closest is a guess: a missing field may belong to another alternative.
  const isGuess = candidates.length > 1 && unknownNames(closest) > 0;
  const reported = isGuess ? closest.filter(isUnknownName) : closest;
  return reported.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function unknownNames(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (isUnknownName(issue) ? issue.keys.length : 0), 0);
}

function isUnknownName(issue: Issue): issue is Issue & { code: 'unrecognized_keys' } {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0;
}
