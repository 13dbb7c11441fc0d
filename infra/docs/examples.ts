import { readFile } from 'node:fs/promises';

export type Snippet = { language: string; label: string; code: string };

const LANGUAGES = [
  { language: 'sh', label: 'curl' },
  { language: 'mjs', label: 'TypeScript' },
  { language: 'py', label: 'Python' },
] as const;

const read = (name: string) => readFile(new URL(`../../docs/examples/${name}`, import.meta.url), 'utf8');

/** One call of an operation in every language. Throws if one is missing. */
export function snippetsOf(operationId: string): Promise<Snippet[]> {
  return snippets(`operations/${operationId}`);
}

/** Whole programs, which need no client. */
export async function programs(): Promise<Snippet[]> {
  const all = await snippets('scrape');
  return all.map((it) => (it.language === 'mjs' ? { ...it, label: 'Node.js' } : it));
}

function snippets(name: string): Promise<Snippet[]> {
  return Promise.all(
    LANGUAGES.map(async ({ language, label }) => ({
      language,
      label,
      code: await read(`${name}.${language}`),
    })),
  );
}
