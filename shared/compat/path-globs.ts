import { refused } from './mapped.ts';

/** Globs of one option, at most. */
const MAX_GLOBS = 100;
const SPECIAL = /[\\^$.|?*+()[\]{}]/;

/**
 * Regular expressions of paths as globs, which are compared with path and query: letters, `.*`, `[^/]+`,
 * groups of alternatives, `^` and `$`. `+` counts as `*`. Throws `invalid_request` for others, and if no
 * path matches: each begins with `/`.
 */
export function globsOf(patterns: readonly string[], name: string): string[] {
  const globs = patterns.flatMap((pattern, at) => {
    const found = globsFor(pattern);
    if (found !== undefined) return found;
    throw refused(
      `${name}[${at}]`,
      `The pattern '${pattern.slice(0, 100)}' of ${name} is not supported here: use letters, .*, [^/]+, (a|b), ^ and $ on a path, which begins with /.`,
    );
  });
  const all = [...new Set(globs)];
  if (all.length > MAX_GLOBS) throw refused(name, `${name} has more than ${MAX_GLOBS} patterns here.`);
  return all;
}

function globsFor(pattern: string): string[] | undefined {
  const isFromStart = pattern.startsWith('^');
  const isToEnd = /(?:^|[^\\])\$$/.test(pattern);
  const inner = pattern.slice(isFromStart ? 1 : 0, isToEnd ? -1 : undefined);
  const bodies = alternativesIn(inner)?.map(globIn);
  if (bodies === undefined || bodies.some((body) => body === undefined)) return undefined;
  const globs = bodies.flatMap((body = '') => {
    const start = isFromStart ? body : `**${body}`;
    // The end of the path, with or without a query.
    const ends = isToEnd ? [start, `${start}?**`] : [`${start}**`];
    return ends.map((glob) => glob.replace(/\*{3,}/g, '**')).filter((glob) => /^[/*]/.test(glob));
  });
  return globs.length > 0 ? globs : undefined;
}

/** The texts that a pattern with groups such as `(blog|docs)` stands for. */
function alternativesIn(pattern: string): string[] | undefined {
  const [, before = '', group, after = ''] = /^(.*?)\((?:\?:)?([^()]*)\)(?![*+?{])(.*)$/.exec(pattern) ?? [];
  if (group === undefined) return pattern.includes('|') ? undefined : [pattern];
  const rest = alternativesIn(after);
  if (rest === undefined || before.includes('|')) return undefined;
  const all = group.split('|').flatMap((each) => rest.map((end) => before + each + end));
  return all.length > MAX_GLOBS ? undefined : all;
}

const PARTS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [/^\.[*+]/, () => '**'],
  [/^\[\^\/\][*+]/, () => '*'],
  [/^\\([^\w\s])/, ([, literal = '']) => literal],
  // Callers mean a glob, and zero or more of a letter match in any case.
  [/^\/\*$/, () => ''],
  [/^[^\\^$.|?*+()[\]{}]/, ([literal]) => literal],
  // Between letters it is nearly always meant as itself, and matches that too.
  [/^\.(?=[A-Za-z\d])/, () => '.'],
];

/** Undefined for a pattern that no glob stands for. */
function globIn(pattern: string): string | undefined {
  let glob = '';
  for (let rest = pattern; rest !== '';) {
    const found = PARTS.map(([part, write]) => ({ match: part.exec(rest), write })).find(
      ({ match }) => match,
    );
    if (!found?.match) return undefined;
    const [whole] = found.match;
    rest = rest.slice(whole.length);
    // A quantifier of a letter.
    if (/^[*+?{]/.test(rest) && !SPECIAL.test(whole) && whole.length === 1 && rest !== '*') return undefined;
    glob += found.write(found.match);
  }
  return glob;
}
