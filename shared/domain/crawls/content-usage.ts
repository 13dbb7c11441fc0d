import type { ContentUse } from '../../contract/crawls/crawl-request.ts';

/** By the names of https://datatracker.ietf.org/doc/draft-ietf-aipref-vocab and https://contentsignals.org */
const USES: ReadonlyMap<string, ContentUse> = new Map([
  ['search', 'search'],
  ['ai-input', 'ai-input'],
  ['ai-use', 'ai-input'],
  ['ai-train', 'ai-train'],
  ['train-ai', 'ai-train'],
  ['train-genai', 'ai-train'],
]);
const NO = /^(?:n|no)$/;

/**
 * Whether a `Content-Usage` or `Content-Signal`, as a header or as lines of a robots.txt, denies one of these
 * uses. A line may be for the URLs below a path; the longest path that fits counts.
 */
export function deniesUse(text: string, uses: readonly ContentUse[], { pathname, search }: URL): boolean {
  const path = pathname + search;
  const rows = text.split('\n').map((line) => {
    const [, prefix = '', signals = ''] = /^\s*(\/\S*\s)?(.*)$/.exec(line) ?? [];
    return { prefix: prefix.trim(), signals };
  });
  const fitting = rows.filter(({ prefix }) => path.startsWith(prefix));
  const longest = Math.max(...fitting.map(({ prefix }) => prefix.length));
  return fitting.some(({ prefix, signals }) => prefix.length === longest && denies(signals, uses));
}

function denies(signals: string, uses: readonly ContentUse[]): boolean {
  return signals.split(/[,;]/).some((signal) => {
    const [name = '', value = ''] = signal
      .toLowerCase()
      .split('=')
      .map((part) => part.trim());
    const use = USES.get(name);
    return use !== undefined && NO.test(value) && uses.includes(use);
  });
}
