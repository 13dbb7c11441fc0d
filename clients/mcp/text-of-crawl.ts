import type { Sitefetch } from '../typescript/src/sitefetch.ts';

/** Characters of a crawl that are read: more is nothing to read in parts. */
const MAX_CRAWL_TEXT = 20_000_000;

/** The pages of a crawl that has ended as one text, each under its URL. */
export async function textOfCrawl(
  { client, signal }: { client: Sitefetch; signal: AbortSignal },
  id: string,
): Promise<{ text: string; isWhole: boolean }> {
  let text = '';
  for await (const { url = '', body = '' } of client.crawls.results(id, { include: 'body', signal })) {
    if (text.length + body.length > MAX_CRAWL_TEXT) return { text, isWhole: false };
    text += `# ${url}\n\n${body}\n\n`;
  }
  return { text, isWhole: true };
}
