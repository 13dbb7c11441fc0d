import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { busy } from '../../../shared/errors.ts';
import type { ScrapeContext } from '../../../shared/ports/scrape.ts';
import { type FileNeeds, readManifest } from '../../../shared/use-cases/crawls/crawl-files.ts';
import { knownHosts } from '../../../shared/use-cases/crawls/read-hosts.ts';

/**
 * Whether robots.txt allows what URLs of a chunk redirect to; all is allowed at hosts that the crawl has not
 * met. The rules are read at the first redirect. Undefined if they do not count.
 */
export function allowedRedirects(
  fx: FileNeeds,
  { crawl }: Pick<Chunk, 'crawl'>,
  robotsToken: string,
): ScrapeContext['mayFollow'] {
  const key = crawl?.robots;
  if (key === undefined) return undefined;
  let hosts: Promise<ReturnType<typeof knownHosts>> | undefined;
  return async (url) => {
    hosts ??= readManifest(fx, key).then((manifest) => knownHosts({ manifest, robotsToken }));
    const { rulesOf } = await hosts.catch((cause: unknown) => {
      hosts = undefined;
      throw busy(cause);
    });
    return rulesOf(new URL(url))?.robots.isAllowed(url) ?? true;
  };
}
