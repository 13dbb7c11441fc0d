import { z } from 'zod';
import { Person } from '../../../contract/people/person.ts';
import { isoDate } from '../../../contract/time.ts';
import type { People } from '../../../ports/people.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';
import { invitations } from './invitations.ts';
import { itemsOf } from './items-of.ts';
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
  const isThere = 'attribute_exists(pk)';
  const set = async (userId: string, fields: Record<string, string>) => {
    const entries = Object.entries(fields);
    await update(keyOf(userId), `SET ${entries.map(([name]) => `#${name} = :${name}`).join(', ')}`, {
      condition: isThere,
      values: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
      names: Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
    });
  };

  return {
    ...membersLock(options),
    ...invitations(options),
    find,
    add: (person) =>
      items.put({ pk: keyOf(person.id), ...z.encode(Person, person) }, 'attribute_not_exists(pk)'),
    rename: (userId, name) => set(userId, { name }),
    changeRole: (userId, role, now) => set(userId, { role, role_since: z.encode(isoDate, now) }),
    remove: async (userId) => void (await items.remove(keyOf(userId), isThere)),
    membersOf: async (orgId) => (await itemsOf(options, orgId, keyOf(''))).map((item) => Person.parse(item)),
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
