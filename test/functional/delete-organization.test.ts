import { expect, test } from 'vitest';
import type { Store, StoredThing } from '../../shared/ports/accounts.ts';
import { countThings, deleteOrganization } from '../../shared/use-cases/accounts/delete-organization.ts';
import { newService } from '../support/world/api.ts';

const SECOND_MS = 1_000;

/** A store that calls back before each portion, and the things in it. */
function memoryStore(things: { org: string; kind: string }[], onRemove: () => void = () => undefined): Store {
  return {
    find: async function* (orgId) {
      await Promise.resolve();
      const own = things.filter(({ org }) => org === orgId);
      for (const thing of own) yield [{ kind: thing.kind, key: { n: String(things.indexOf(thing)) } }];
    },
    remove: async (found: readonly StoredThing[]) => {
      await Promise.resolve();
      onRemove();
      for (const { kind } of found)
        things.splice(
          things.findIndex((thing) => thing.kind === kind),
          1,
        );
    },
  };
}

async function acme() {
  const { world, service } = await newService();
  const { orgId } = await service.organization();
  const organization = await world.organizations.find(orgId);
  if (organization === undefined) throw new Error('There is no organization.');
  const things = ['jobs', 'jobs', 'results', 'keys'].map((kind) => ({ org: orgId, kind }));
  const lines: string[] = [];
  const fx = { ...world, stores: [memoryStore(things)], report: (line: string) => void lines.push(line) };
  return { world, orgId, organization, things, fx, lines };
}

test('deleting an organization deletes everything of it, says how much, and tells each step', async () => {
  const { world, orgId, things, fx, lines } = await acme();
  things.push({ org: 'org_other', kind: 'jobs' });
  expect(await deleteOrganization(fx, orgId)).toMatchObject({
    org_id: orgId,
    deleted: { jobs: 2, results: 1, keys: 1 },
  });
  expect(things).toEqual([{ org: 'org_other', kind: 'jobs' }]);
  expect(await world.organizations.find(orgId)).toBeUndefined();
  expect(lines[0]).toBe(`${orgId} is suspended`);
  expect(lines.at(-1)).toBe(`${orgId} is deleted`);
});

test('deleting an organization refuses its requests before the first thing goes', async () => {
  const { world, orgId, things, fx } = await acme();
  const statuses: (string | undefined)[] = [];
  const store = memoryStore(things, () => {
    void world.organizations.find(orgId).then((it) => statuses.push(it?.status));
  });
  await deleteOrganization({ ...fx, stores: [store] }, orgId);
  expect([...new Set(statuses)]).toEqual(['suspended']);
});

test('deleting an organization deletes what requests store that had begun before', async () => {
  const { world, orgId, things, fx } = await acme();
  let waits = 0;
  const wait = async (ms: number) => {
    await world.wait(ms);
    if (++waits === 1) things.push({ org: orgId, kind: 'results' });
  };
  expect(await deleteOrganization({ ...fx, wait }, orgId)).toMatchObject({ deleted: { results: 2 } });
  expect(things).toEqual([]);
});

test('deleting an organization waits until no scrape is in progress, but not for a slot that a dead one left', async () => {
  const { world, orgId, organization, things, fx } = await acme();
  const until = new Date(world.now().getTime() + 25 * 60 * SECOND_MS);
  const slot = { id: 'scrape', until };
  const request = { credits: 1, slot };
  expect(await world.usage.admit(organization, request, world.now())).toMatchObject({
    outcome: 'admitted',
  });
  const startedAt = world.now().getTime();
  let waits = 0;
  const wait = async (ms: number) => {
    await world.wait(ms);
    if (++waits !== 5) return;
    things.push({ org: orgId, kind: 'activity' });
    await world.usage.settle(organization, { slotId: 'scrape', held: 1 }, world.now());
  };
  expect(await deleteOrganization({ ...fx, wait }, orgId)).toMatchObject({ deleted: { activity: 1 } });
  expect(waits).toBe(5);
  const other = await acme();
  await other.world.usage.admit(other.organization, request, other.world.now());
  await deleteOrganization(other.fx, other.orgId);
  const took = other.world.now().getTime() - startedAt;
  expect(took).toBeGreaterThan(5 * 60 * SECOND_MS);
  expect(took).toBeLessThan(7 * 60 * SECOND_MS);
});

test('deleting an organization continues when it is run again, wherever it stopped, and also once the organization is gone', async () => {
  for (let stopAt = 1; stopAt <= 4; stopAt += 1) {
    const { world, orgId, things, fx } = await acme();
    let removals = 0;
    const store = memoryStore(things, () => {
      if (++removals === stopAt) throw new Error('The operator pressed Ctrl+C.');
    });
    await expect(deleteOrganization({ ...fx, stores: [store] }, orgId)).rejects.toThrow('Ctrl+C');
    expect((await world.organizations.find(orgId))?.status).toBe('suspended');
    await deleteOrganization(fx, orgId);
    expect(things).toEqual([]);
    things.push({ org: orgId, kind: 'uploads' });
    expect(await deleteOrganization(fx, orgId)).toMatchObject({ deleted: { uploads: 1 } });
    await expect(deleteOrganization(fx, orgId)).rejects.toThrow(`There is no organization "${orgId}".`);
  }
});

test('deleting an organization does not end while something still writes', async () => {
  const { orgId, things, fx, world } = await acme();
  const store = memoryStore(things, () => void things.push({ org: orgId, kind: 'jobs' }));
  const once: Store = {
    ...store,
    find: async function* (id) {
      for await (const found of store.find(id)) {
        yield found;
        return;
      }
    },
  };
  await expect(deleteOrganization({ ...fx, stores: [once] }, orgId)).rejects.toThrow('still writes');
  expect(await world.organizations.find(orgId)).toBeDefined();
});

test('deleting an organization matches no other organization by a mistyped id, for which nothing is searched', async () => {
  const { fx: known, things, orgId } = await acme();
  const find = () => {
    throw new Error('The stores were searched.');
  };
  const fx = { ...known, stores: [{ ...memoryStore(things), find }] };
  for (const id of ['org_', 'org', '', orgId.slice(0, -1), `${orgId}0`])
    await expect(deleteOrganization(fx, id)).rejects.toThrow('There is no organization');
  expect(things).toHaveLength(4);
});

test('counting what would be deleted changes nothing', async () => {
  const { world, orgId, things, fx } = await acme();
  expect(await countThings(fx, orgId)).toMatchObject({ would_delete: { jobs: 2, results: 1, keys: 1 } });
  expect(things).toHaveLength(4);
  expect((await world.organizations.find(orgId))?.status).toBe('active');
  await expect(countThings(fx, 'org_nothing')).rejects.toThrow('There is no organization "org_nothing".');
});
