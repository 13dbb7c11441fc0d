import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { Organization } from '../../../contract/accounts/account.ts';
import type { Organizations } from '../../../ports/accounts.ts';
import { EXISTS, IS_NEW, itemKind, openTable, type TableOptions } from '../table.ts';

const PREFIX = 'ORG#';

/** The Organizations port: items `ORG#<id>`. */
export function dynamodbOrganizations(options: TableOptions): Organizations {
  const table = openTable(options);
  const organizations = itemKind(table, Organization, (id: string) => ({ pk: PREFIX + id }));
  return {
    find: (id) => organizations.find(id, { isConsistent: false }),
    list: () => organizationsIn(options),
    add: (organization) => organizations.put(organization.id, organization, IS_NEW),
    rename: async (id, name) => {
      await organizations.update(id, { ...EXISTS, set: ['#name = :name'], values: { ':name': name } });
    },
    save: async (organization) => void (await organizations.put(organization.id, organization)),
    remove: async (id) => {
      await table.remove({ pk: `USAGE#${id}` });
      await organizations.remove(id);
    },
  };
}

async function organizationsIn({ client, table }: TableOptions): Promise<Organization[]> {
  const pages = paginateScan(
    { client },
    {
      TableName: table,
      FilterExpression: 'begins_with(pk, :organization)',
      ExpressionAttributeValues: { ':organization': PREFIX },
    },
  );
  const found: Organization[] = [];
  for await (const { Items = [] } of pages) found.push(...Items.map((item) => Organization.parse(item)));
  return found.sort((a, b) => +a.createdAt - +b.createdAt);
}
