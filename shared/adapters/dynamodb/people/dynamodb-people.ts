import { z } from 'zod';
import { Invitation, Person } from '../../../contract/people/person.ts';
import { epochSeconds, isoDate } from '../../../contract/time.ts';
import type { People } from '../../../ports/people.ts';
import { EXISTS, IS_NEW, itemKind, itemsOf, openTable, type Table, type TableOptions } from '../table.ts';

const [USER, INVITATION] = ['USER#', 'INVITATION#'];

/** The People port on a DynamoDB table with string key `pk` and index `by_org` (`org_id`, `pk`). */
export function dynamodbPeople(options: TableOptions): People {
  const table = openTable(options);
  return { ...members(table), ...invitations(table), ...membersLock(table) };
}

type Members = Omit<People, keyof ReturnType<typeof invitations> | keyof ReturnType<typeof membersLock>>;

function members(table: Table): Members {
  const people = itemKind(table, Person, (userId: string) => ({ pk: USER + userId }));
  return {
    find: (userId) => people.find(userId),
    add: (person) => people.put(person.id, person, IS_NEW),
    rename: async (userId, name) => {
      await people.update(userId, { ...EXISTS, set: ['#name = :name'], values: { ':name': name } });
    },
    changeRole: async (userId, role, now) => {
      const values = { ':role': role, ':now': z.encode(isoDate, now) };
      await people.update(userId, { ...EXISTS, set: ['#role = :role', 'role_since = :now'], values });
    },
    remove: async (userId) => void (await people.remove(userId)),
    membersOf: async (orgId) => (await itemsOf(table, orgId, USER)).map((item) => Person.parse(item)),
    endSessions: async (userId) => {
      const before = await people.find(userId);
      if (before === undefined) return undefined;
      // Set rather than incremented, so that a repeated request does not count twice.
      await people.update(userId, {
        condition: ['generation = :last'],
        set: ['generation = :next'],
        values: { ':last': before.generation, ':next': before.generation + 1 },
      });
      return people.find(userId);
    },
  };
}

/** `INVITATION#<hash>` items. Only a conditional write takes one. */
function invitations(table: Table) {
  const items = itemKind(table, Invitation, (hash: string) => ({ pk: INVITATION + hash }));
  return {
    saveInvitation: async (hash, invitation) => void (await items.put(hash, invitation)),
    findInvitation: async (hash, now) => {
      const found = await items.find(hash);
      return found && found.expiresAt > now ? found : undefined;
    },
    takeInvitation: (hash, userId, now) =>
      items.update(hash, {
        condition: ['expires_at > :now', '(attribute_not_exists(taken_by) OR taken_by = :user)'],
        set: ['taken_by = :user'],
        values: { ':user': userId, ':now': z.encode(epochSeconds, now) },
      }),
    invitationsOf: async (orgId) => {
      const found = await itemsOf(table, orgId, INVITATION);
      const hashOf = (pk: unknown) => String(pk).slice(INVITATION.length);
      return new Map(found.map((item) => [hashOf(item['pk']), Invitation.parse(item)]));
    },
    removeInvitation: (orgId, hash) =>
      items.remove(hash, { condition: ['org_id = :org'], values: { ':org': orgId } }),
  } satisfies Partial<People>;
}

/** One `LOCK#<org>` item for each organization whose members change. Anyone may take it once it is over. */
function membersLock(table: Table) {
  const keyOf = (orgId: string) => ({ pk: `LOCK#${orgId}` });
  return {
    lock: (orgId, holder, until, now) => {
      const held = {
        held_by: holder,
        held_until: until.getTime(),
        expires_at: z.encode(epochSeconds, until),
      };
      return table.put(
        { ...keyOf(orgId), ...held },
        {
          condition: ['attribute_not_exists(pk) OR held_until <= :now'],
          values: { ':now': now.getTime() },
        },
      );
    },
    unlock: async (orgId, holder) => {
      await table.remove(keyOf(orgId), { condition: ['held_by = :holder'], values: { ':holder': holder } });
    },
  } satisfies Partial<People>;
}
