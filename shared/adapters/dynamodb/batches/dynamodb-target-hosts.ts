import { TargetHost } from '../../../contract/crawls/target-host.ts';
import { epochSeconds } from '../../../contract/time.ts';
import type { TargetHosts } from '../../../ports/crawls.ts';
import { IS_NEW, itemKind, openTable, type TableOptions, unchanged } from '../table.ts';

const Item = TargetHost.extend({ expires_at: epochSeconds });

/** The TargetHosts port on the table of jobs: `HOST#<host>` items, in no index. */
export function dynamodbTargetHosts(options: TableOptions): TargetHosts {
  const items = itemKind(openTable(options), Item, (host: string) => ({ pk: `HOST#${host}` }));
  return {
    find: async (host) => {
      const { expires_at: _, ...found } = (await items.find(host)) ?? {};
      return 'host' in found ? found : undefined;
    },
    replace: (before, after, expiresAt) =>
      items.put(after.host, { ...after, expires_at: expiresAt }, before ? unchanged(before) : IS_NEW),
  };
}
