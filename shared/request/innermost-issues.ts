import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Issues at the root of an alternative that mean that the value is not of its kind at all. */
const OTHER_KIND: readonly string[] = ['invalid_type', 'invalid_value', 'invalid_union'];

/** The issues inside the alternative of a union that is closest to the value, else the union's own issue. */
export function innermostIssues(issue: Issue): Issue[] {
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
