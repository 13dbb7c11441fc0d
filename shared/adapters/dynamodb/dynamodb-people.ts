import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Invitation, Person } from '../../contract/person.ts';
import { epochSeconds } from '../../contract/time.ts';
import type { People } from '../../people-ports.ts';
import { conditionalTable, type TableOptions } from './conditional-table.ts';
import { conditionalUpdates } from './conditional-updates.ts';

/** The People port on a DynamoDB table with string key `pk` and index `by_org` (`org_id`, `pk`). */
export function dynamodbPeople({ client, table }: TableOptions): People {
  const items = conditionalTable({ client, table });
  const update = conditionalUpdates({ client, table });
  const find = async (userId: string) => {
    const item = await items.get(`USER#${userId}`);
    return item && Person.parse(item);
  };

  return {
    find,

    add: (person) =>
      items.put({ pk: `USER#${person.id}`, ...z.encode(Person, person) }, 'attribute_not_exists(pk)'),

    rename: async (userId, name) => {
      const isThere = { condition: 'attribute_exists(pk)', names: { '#name': 'name' } };
      await update(`USER#${userId}`, 'SET #name = :name', { ...isThere, values: { ':name': name } });
    },

    changeRole: async (userId, role) => {
      const isThere = { condition: 'attribute_exists(pk)', names: { '#role': 'role' } };
      await update(`USER#${userId}`, 'SET #role = :role', { ...isThere, values: { ':role': role } });
    },

    lock: (orgId, holder, until, now) =>
      items.put(
        {
          pk: `LOCK#${orgId}`,
          held_by: holder,
          held_until: until.getTime(),
          expires_at: z.encode(epochSeconds, until),
        },
        'attribute_not_exists(pk) OR held_until <= :now',
        { ':now': now.getTime() },
      ),

    unlock: async (orgId, holder) => {
      await items.remove(`LOCK#${orgId}`, 'held_by = :holder', { ':holder': holder });
    },

    remove: async (userId) => {
      await items.remove(`USER#${userId}`, 'attribute_exists(pk)');
    },

    membersOf: async (orgId) => {
      const pages = paginateQuery(
        { client },
        {
          TableName: table,
          IndexName: 'by_org',
          KeyConditionExpression: 'org_id = :org AND begins_with(pk, :user)',
          ExpressionAttributeValues: { ':org': orgId, ':user': 'USER#' },
        },
      );
      const found: Person[] = [];
      for await (const { Items = [] } of pages) found.push(...Items.map((item) => Person.parse(item)));
      return found;
    },

    endSessions: async (userId) => {
      const before = await find(userId);
      if (before === undefined) return undefined;
      // Set rather than incremented, so that a repeated request does not count twice.
      await update(`USER#${userId}`, 'SET generation = :next', {
        condition: 'generation = :last',
        values: { ':last': before.generation, ':next': before.generation + 1 },
      });
      return find(userId);
    },

    saveInvitation: async (hash, invitation) => {
      await items.put({ pk: `INVITATION#${hash}`, ...z.encode(Invitation, invitation) });
    },

    findInvitation: async (hash, now) => {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: { pk: `INVITATION#${hash}` }, ConsistentRead: true }),
      );
      const found = Item && Invitation.parse(Item);
      return found && found.expiresAt > now ? found : undefined;
    },

    takeInvitation: (hash, userId, now) =>
      update(`INVITATION#${hash}`, 'SET taken_by = :user', {
        condition: 'expires_at > :now AND (attribute_not_exists(taken_by) OR taken_by = :user)',
        values: { ':user': userId, ':now': z.encode(epochSeconds, now) },
      }),
  };
}
