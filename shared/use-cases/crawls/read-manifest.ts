import { pipeline } from 'node:stream';
import { json } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import { Manifest } from '../../contract/crawls/manifest.ts';
import type { Effects } from '../../ports/effects.ts';

export type ManifestNeeds = { results: Pick<Effects['results'], 'open'> };

/** What callers see of a manifest. */
const ShownManifest = Manifest.in.pick({ ledger: true, waves: true, hosts: true });
export type ShownManifest = z.infer<typeof ShownManifest>;

/** What a crawl knew after its last merge. Undefined before the first one, and once it has expired. */
export async function readManifest(
  { results }: ManifestNeeds,
  { manifest: key }: Pick<Crawl, 'manifest'>,
): Promise<ShownManifest | undefined> {
  const stored = key === undefined ? undefined : await results.open(key);
  if (stored === undefined) return undefined;
  return ShownManifest.parse(await json(pipeline(stored, createGunzip(), () => undefined)));
}
