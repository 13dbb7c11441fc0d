import type { Chunk } from '../../contract/batches/chunk.ts';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import { partKey } from '../batches/part-key.ts';

/** The files that a merge writes. Each merge writes new ones, so no key ever has other bytes. */
export type CrawlFile = 'manifest' | 'ledger' | 'queue' | 'seen' | 'hashes' | 'fruitless' | 'pages' | 'wave';

const EXTENSIONS: Record<CrawlFile, string> = {
  manifest: 'json.gz',
  ledger: 'ndjson.gz',
  queue: 'ndjson.gz',
  seen: 'bin',
  hashes: 'bin',
  fruitless: 'bin',
  pages: 'ndjson.gz',
  wave: 'ndjson',
};

/** Of one process that merges: no other has its version and token. */
export type Merge = Pick<Crawl, 'orgId' | 'id' | 'version' | 'fencingToken'>;

/** What the keys of a crawl's files begin with. */
export const filesOf = ({ orgId, id }: Pick<Crawl, 'orgId' | 'id'>): string => `results/${orgId}/${id}/`;

/** Where a merge stores a file, or the part with this number of a file in parts. */
export function crawlKey({ version, fencingToken, ...crawl }: Merge, file: CrawlFile, part?: number): string {
  const name = `${file}-${version}-${fencingToken}${part === undefined ? '' : `-${part}`}`;
  return `${filesOf(crawl)}${name}.${EXTENSIONS[file]}`;
}

/** Where a worker stores what it found in one turn: lines of JSON, each a `Found`. */
export function foundKey(chunk: Pick<Chunk, 'orgId' | 'batchId' | 'index'>, token: number): string {
  return partKey(chunk, token, 'heads').replace('-heads.', '-found.');
}
