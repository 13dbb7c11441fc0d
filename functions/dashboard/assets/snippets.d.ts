type Language = 'curl' | 'typescript' | 'python' | 'cli';

/** A scrape as code, by language. Without a key, it reads `SITEFETCH_KEY`. */
export const snippets: Readonly<
  Record<Language, (endpoint: string, request: Readonly<Record<string, unknown>>, key?: string) => string>
>;
