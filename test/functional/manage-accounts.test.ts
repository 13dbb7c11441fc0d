import { expect, test } from 'vitest';
import type { AppError } from '../../shared/errors.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import {
  createOrganization,
  grantCredits,
  listOrganizations,
  setStatus,
  showOrganization,
  updateOrganization,
} from '../../shared/use-cases/accounts/manage-organizations.ts';
import { newService } from '../support/world/api.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const url = 'https://example.com/';
const SCRAPE = `/api/v1/scraper?${new URLSearchParams({ url }).toString()}`;

test('an update changes the given limits of a listed organization only', async () => {
  const { world, service } = await newService();
  const { orgId } = await service.organization({ name: 'Old', overrides: { rpm: 7, concurrency: 3 } });
  const changed = await updateOrganization(world, orgId, {
    name: 'New',
    plan: 'starter',
    overrides: { rpm: 90, concurrency: undefined },
  });
  const limits = { credits: 100_000, rpm: 90, reads_per_minute: 6_000, concurrency: 3 };
  expect(changed).toMatchObject({ org_id: orgId, name: 'New', plan: 'starter', limits });
  expect(await showOrganization(world, orgId)).toEqual(changed);
  const { organizations } = await listOrganizations(world);
  expect(organizations).toHaveLength(2);
  expect(organizations).toContainEqual({
    org_id: orgId,
    name: 'New',
    plan: 'starter',
    status: 'active',
    created_at: '2026-11-21T12:00:00.000Z',
  });
});

test('an unset limit is the limit of the plan again', async () => {
  const { world, service } = await newService();
  const { orgId } = await service.organization({ overrides: { rpm: 7, concurrency: 3 } });
  expect(await updateOrganization(world, orgId, { overrides: { rpm: null } })).toMatchObject({
    limits: { rpm: 60, concurrency: 3 },
  });
  expect(await updateOrganization(world, orgId, { plan: 'starter', overrides: {} })).toMatchObject({
    limits: { rpm: 600, concurrency: 3 },
  });
});

test('granted credits can be used at once, and are reported apart from the limit', async () => {
  const { world, service } = await newService();
  world.web[url] = page('hello');
  const { orgId, key } = await service.organization({ overrides: { credits: 1 } });
  expect((await service.ask(SCRAPE, { key })).status).toBe(200);
  expect((await service.ask(SCRAPE, { key })).status).toBe(402);
  expect(await grantCredits(world, orgId, 2)).toMatchObject({
    limits: { credits: 1 },
    usage: { period: '2026-11', available: 2, used: 1, granted: 2 },
  });
  expect((await service.ask(SCRAPE, { key })).status).toBe(200);
  expect(await grantCredits(world, orgId, 2)).toMatchObject({ usage: { available: 3, granted: 4 } });
});

test('accounts are created and changed even if reads lag behind writes', async () => {
  const world = inMemoryWorld();
  const stale = new Map<string, Awaited<ReturnType<typeof world.organizations.find>>>();
  const find = (id: string) => Promise.resolve(stale.get(id));
  const lagging = { ...world, organizations: { ...world.organizations, find } };
  const wanted = { name: 'A', plan: 'free', overrides: {}, mode: 'test' } as const;
  const { org_id: orgId } = await createOrganization(lagging, wanted);
  stale.set(orgId, await world.organizations.find(orgId));
  expect(await updateOrganization(lagging, orgId, { name: 'B', overrides: {} })).toMatchObject({
    name: 'B',
  });
});

test('a key is revoked by its id', async () => {
  const { world, service, orgId } = await newService();
  const { key_id, api_key: key } = await createKey(world, { orgId, name: 'laptop', mode: 'live' });
  expect((await service.ask('/api/v1/scraper/jobs/none', { key })).status).toBe(404);
  expect(await revokeKey(world, key_id)).toMatchObject({ key_id, status: 'revoked' });
  expect((await service.ask('/api/v1/scraper/jobs/none', { key })).status).toBe(401);
});

test('a leaked key is revoked by its own text, which is not printed', async () => {
  const { world, service, orgId, key } = await newService();
  const revoked = await revokeKey(world, key);
  expect(revoked).toMatchObject({ org_id: orgId, status: 'revoked', last4: key.slice(-4) });
  expect(JSON.stringify(revoked)).not.toContain(key);
  expect((await service.ask('/api/v1/scraper/jobs/none', { key })).status).toBe(401);
});

test('a key that is revoked while it is rotated stays revoked, and gets no successor', async () => {
  const { world, service, orgId } = await newService();
  const { key_id, api_key: key } = await createKey(world, { orgId, name: 'laptop', mode: 'live' });
  const { save } = world.keys;
  world.keys.save = async (record) => {
    world.keys.save = save;
    await save(record);
    await revokeKey(world, key_id);
  };
  await expect(rotateKey(world, key_id, 'day')).rejects.toMatchObject({ code: 'not_found' });
  expect((await service.ask('/api/v1/scraper/jobs/none', { key })).status).toBe(401);
  const { keys } = await listKeys(world, orgId);
  expect(keys.filter(({ name }) => name === 'laptop').map(({ status }) => status)).toEqual([
    'revoked',
    'revoked',
  ]);
});

test('a damaged, forged or unknown key revokes nothing and is not printed', async () => {
  const { world, orgId, key } = await newService();
  const { key: stranger } = await newService();
  const damaged = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
  for (const [given, code] of [
    [damaged, 'invalid_request'],
    [stranger, 'not_found'],
  ] as const) {
    const error: unknown = await revokeKey(world, given).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect((error as AppError).message).not.toContain(given);
  }
  expect((await listKeys(world, orgId)).keys).toMatchObject([{ status: 'active' }]);
});

test('a key with the id of another key but a different secret does not revoke it', async () => {
  const [{ world, orgId }, other] = [await newService(), await newService()];
  const [{ key_id: id } = { key_id: '' }] = (await listKeys(world, orgId)).keys;
  const record = await world.keys.find(id);
  const forged = other.key;
  const forgedId = forged.split('_')[2] ?? '';
  if (record) await world.keys.save({ ...record, id: forgedId });
  await expect(revokeKey(world, forged)).rejects.toThrow(`Key "${forgedId}" has another secret`);
  expect((await world.keys.find(forgedId))?.status).toBe('active');
});

test('every command for an unknown organization fails', async () => {
  const { world } = await newService();
  for (const attempt of [
    showOrganization(world, 'org_none'),
    updateOrganization(world, 'org_none', { overrides: {} }),
    grantCredits(world, 'org_none', 1),
    setStatus(world, 'org_none', 'suspended'),
    createKey(world, { orgId: 'org_none', name: 'x', mode: 'live' }),
    listKeys(world, 'org_none'),
  ])
    await expect(attempt).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no organization "org_none".',
    });
});
