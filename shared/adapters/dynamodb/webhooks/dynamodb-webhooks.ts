import { Endpoint } from '../../../contract/webhooks/webhook.ts';
import type { Webhooks } from '../../../ports/webhooks.ts';
import { IS_NEW, itemKind, openTable, type TableOptions, unchanged } from '../table.ts';

const endpointsOf = (orgId: string) => `ENDPOINTS#${orgId}`;

/** The Webhooks port on a DynamoDB table with string keys `pk` and `sk`. */
export function dynamodbWebhooks(options: TableOptions): Webhooks {
  const table = openTable(options);
  const endpoints = itemKind(table, Endpoint, ({ orgId, id }: Pick<Endpoint, 'orgId' | 'id'>) => ({
    pk: endpointsOf(orgId),
    sk: id,
  }));

  return {
    add: (endpoint) => endpoints.put(endpoint, endpoint, IS_NEW),
    find: (orgId, id) => endpoints.find({ orgId, id }),
    list: async (orgId) => {
      const query = { where: 'pk = :pk', values: { ':pk': endpointsOf(orgId) } };
      // An endpoint that was just created receives the next event.
      const { items } = await table.query({ ...query, isConsistent: true });
      return items.map((item) => Endpoint.parse(item));
    },
    replace: (before, after) => endpoints.put(after, after, unchanged(before)),
    remove: async (orgId, id) => void (await endpoints.remove({ orgId, id })),
  };
}
