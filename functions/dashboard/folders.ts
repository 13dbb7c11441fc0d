import type { LedgerLine } from '../../shared/contract/crawls/crawl.ts';

type Folder = { name: string; urls: number; pages: number };

/** A site by its folders. */
export type Folders = {
  /** In the order of their names. */
  folders: readonly Folder[];
  /** Folders with fewer URLs. */
  others: number;
  /** URLs in all. */
  urls: number;
  /** Whether these are all URLs of the ledger. */
  isWhole: boolean;
};

const MAX_LEVELS = 2;

/** Counts the first lines of a ledger by host and the first two folders of their paths. */
export async function foldersOf(
  lines: AsyncIterable<Pick<LedgerLine, 'url' | 'outcome'>>,
  { maxLines, maxFolders }: { maxLines: number; maxFolders: number },
): Promise<Folders> {
  const found = new Map<string, Folder>();
  let urls = 0;
  let isWhole = true;
  for await (const { url, outcome } of lines) {
    isWhole = urls < maxLines;
    if (!isWhole) break;
    urls += 1;
    const name = folderOf(url);
    const folder = found.get(name) ?? { name, urls: 0, pages: 0 };
    folder.urls += 1;
    folder.pages += Number(outcome === 'page');
    found.set(name, folder);
  }
  const largest = [...found.values()].sort((a, b) => b.urls - a.urls).slice(0, maxFolders);
  const folders = largest.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { folders, others: found.size - folders.length, urls, isWhole };
}

/** `example.com/blog/2026/` of `https://example.com/blog/2026/11/post`. */
function folderOf(text: string): string {
  const { host, pathname } = new URL(text);
  const segments = pathname.split('/').slice(1, -1).slice(0, MAX_LEVELS);
  return `${host}/${segments.map((segment) => `${segment}/`).join('')}`;
}
