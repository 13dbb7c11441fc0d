import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Person } from '../../contract/person.ts';
import type { People } from '../../people-ports.ts';
import { conditionalTable, type TableOptions } from './conditional-table.ts';
import { conditionalUpdates } from './conditional-updates.ts';
import { invitations } from './invitations.ts';
import { membersLock } from './members-lock.ts';

const keyOf = (userId: string) => `USER#${userId}`;

/** The People port on a DynamoDB table with string key `pk` and index `by_org` (`org_id`, `pk`). */
export function dynamodbPeople(options: TableOptions): People {
  const items = conditionalTable(options);
  const update = conditionalUpdates(options);
  const find = async (userId: string) => {
    const item = await items.get(keyOf(userId));
    return item && Person.parse(item);
  };
  const change = async (userId: string, field: 'name' | 'role', value: string) => {
    const isThere = { condition: 'attribute_exists(pk)', names: { [`#${field}`]: field } };
    await update(keyOf(userId), `SET #${field} = :${field}`, {
      ...isThere,
      values: { [`:${field}`]: value },
    });
  };

  return {
    ...membersLock(options),
    ...invitations(options),
    find,
    add: (person) =>
      items.put({ pk: keyOf(person.id), ...z.encode(Person, person) }, 'attribute_not_exists(pk)'),
    rename: (userId, name) => change(userId, 'name', name),
    changeRole: (userId, role) => change(userId, 'role', role),
    remove: async (userId) => {
      await items.remove(keyOf(userId), 'attribute_exists(pk)');
    },
    membersOf: (orgId) => membersIn(options, orgId),
    endSessions: async (userId) => {
      const before = await find(userId);
      if (before === undefined) return undefined;
      // Set rather than incremented, so that a repeated request does not count twice.
      await update(keyOf(userId), 'SET generation = :next', {
        condition: 'generation = :last',
        values: { ':last': before.generation, ':next': before.generation + 1 },
      });
      return find(userId);
    },
  };
}

async function membersIn({ client, table }: TableOptions, orgId: string): Promise<Person[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName: table,
      IndexName: 'by_org',
      KeyConditionExpression: 'org_id = :org AND begins_with(pk, :user)',
      ExpressionAttributeValues: { ':org': orgId, ':user': keyOf('') },
    },
  );
  const found: Person[] = [];
  for await (const { Items = [] } of pages) found.push(...Items.map((item) => Person.parse(item)));
  return found;
}
