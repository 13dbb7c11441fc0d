import { json } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import { type Crawl, Manifest } from '../../contract/crawls/crawl.ts';
import type { Effects } from '../../ports/effects.ts';

export type ManifestNeeds = { results: Pick<Effects['results'], 'open'> };

/** What a crawl knew after its last merge. Undefined before the first one, and once it has expired. */
export async function readManifest(
  { results }: ManifestNeeds,
  { manifest: key }: Pick<Crawl, 'manifest'>,
): Promise<Manifest | undefined> {
  const stored = key === undefined ? undefined : await results.open(key);
  if (stored === undefined) return undefined;
  return Manifest.parse(await json(pipeline(stored, createGunzip(), () => undefined)));
}
