import { PutObjectCommand } from '@aws-sdk/client-s3';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { itemsUnder, organizationItems } from '../../shared/adapters/dynamodb/accounts/organization-items.ts';
import { cachePartition } from '../../shared/adapters/dynamodb/scrape/dynamodb-page-cache.ts';
import { organizationObjects } from '../../shared/adapters/s3-organization-objects.ts';
import type { Store } from '../../shared/ports/accounts.ts';
import { emulatedWorld, type EmulatedWorld } from '../support/world/emulated-world.ts';

let world: EmulatedWorld;
beforeAll(async () => {
  world = await emulatedWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

type Name = keyof EmulatedWorld['tables'];
type Item = { pk: string; sk?: string } & Record<string, unknown>;

const newOrgId = () => `org_${v7().replaceAll('-', '')}`;

async function store(name: Name, items: readonly Item[]) {
  for (const Item of items) await world.client.send(new PutCommand({ TableName: world.tables[name], Item }));
}

async function left(name: Name, ids: readonly string[]) {
  const { Items = [] } = await world.client.send(new ScanCommand({ TableName: world.tables[name] }));
  const keys = Items.map(({ pk, sk }) => [pk, sk].filter((part) => part !== undefined).join(' '));
  return keys.filter((key) => ids.some((id) => key.includes(id))).sort();
}

async function erase(stored: Store, orgId: string) {
  const counts: Record<string, number> = {};
  for await (const things of stored.find(orgId)) {
    await stored.remove(things);
    for (const { kind } of things) if (kind) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

const itemsIn = (name: Name, more: object = {}) =>
  organizationItems({ client: world.client, table: world.tables[name], wait: noWait, ...more });
const noWait = () => Promise.resolve();

test('all items of an organization are deleted, and no others', async () => {
  const [orgId, otherId, batch, foreign] = [newOrgId(), newOrgId(), v7(), v7()];
  const jobs = Array.from({ length: 60 }, () => ({ pk: v7(), org_id: orgId, job_of: orgId }));
  const kept: Item[] = [
    // A caller's key may be any text, also the id of another organization.
    { pk: `IDEMPOTENCY#${otherId}#${orgId}`, org_id: otherId },
    { pk: `${orgId}0`, org_id: `${orgId}0` },
    { pk: `BATCH#${foreign}`, org_id: otherId, total: 100, job_of: `BATCHES#${otherId}` },
    { pk: `BATCH#${foreign}#u0` },
  ];
  await store('jobs', [
    ...kept,
    ...jobs,
    { pk: `IDEMPOTENCY#${orgId}#a`, org_id: orgId },
    { pk: `BATCH#${batch}`, org_id: orgId, total: 250, upload: { chunks: 21 } },
    ...[`BATCH#${batch}#u0`, `BATCH#${batch}#u1`].map((pk) => ({
      pk,
    })),
    { pk: `CHUNK#${batch}-0`, org_id: orgId, batch_id: batch },
    { pk: `CRAWL#${v7()}`, org_id: orgId },
  ]);
  const counts = { jobs: 60, idempotency_keys: 1, batches: 1, chunks: 1, crawls: 1 };
  expect(await erase(itemsIn('jobs'), orgId)).toEqual(counts);
  expect(await left('jobs', [orgId, otherId, batch, foreign, ...jobs.map(({ pk }) => pk)])).toEqual(
    kept.map(({ pk }) => pk).sort(),
  );
  expect(await erase(itemsIn('jobs'), orgId)).toEqual({});
});

test('endpoints, deliveries and places of an organization are deleted, also of deleted endpoints', async () => {
  const [orgId, otherId] = [newOrgId(), newOrgId()];
  const of = (id: string): Item[] => [
    { pk: `ENDPOINTS#${id}`, sk: 'one', org_id: id },
    { pk: `DELIVERIES#${id}#one`, sk: v7(), org_id: id },
    { pk: `DELIVERIES#${id}#deleted`, sk: v7(), org_id: id },
    { pk: `RECEIVER#${id}#one`, sk: '#' },
  ];
  await store('webhooks', [...of(orgId), ...of(otherId)]);
  expect(await erase(itemsIn('webhooks'), orgId)).toEqual({ endpoints: 1, deliveries: 2 });
  expect([(await left('webhooks', [orgId])).length, (await left('webhooks', [otherId])).length]).toEqual([
    0, 4,
  ]);
});

test('the lines of activity and the kept pages are deleted by their keys', async () => {
  const [orgId, otherId] = [newOrgId(), newOrgId()];
  await store('activity', [
    ...Array.from({ length: 30 }, (_, n) => ({ pk: orgId, sk: `2026-11-25T00:00:${n}` })),
    { pk: otherId, sk: orgId },
    { pk: cachePartition(orgId), sk: 'a#b' },
    { pk: cachePartition(otherId), sk: 'a#b' },
  ]);
  const under = (kind: string, partition: (id: string) => string) =>
    itemsUnder({ client: world.client, table: world.tables.activity, wait: noWait }, { kind, partition });
  expect(
    await erase(
      under('activity', (id) => id),
      orgId,
    ),
  ).toEqual({ activity: 30 });
  expect(await erase(under('cached_pages', cachePartition), orgId)).toEqual({ cached_pages: 1 });
  expect(await left('activity', [orgId])).toEqual([`${otherId} ${orgId}`]);
});

test('keys and usage are deleted, and the organization with its usage only by itself', async () => {
  const orgId = newOrgId();
  await store('accounts', [
    { pk: `ORG#${orgId}`, id: orgId },
    { pk: `USAGE#${orgId}` },
    { pk: `USAGE#${orgId}#2026-11` },
    { pk: `USAGE#${orgId}#keys` },
    { pk: `WAITING#${orgId}`, org_id: '#waiting' },
    { pk: 'KEY#abc', org_id: orgId },
  ]);
  const keeps = (id: string) => [`ORG#${id}`, `USAGE#${id}`];
  expect(await erase(itemsIn('accounts', { keeps }), orgId)).toEqual({ keys: 1, usage: 2 });
  expect(await left('accounts', [orgId])).toEqual([`ORG#${orgId}`, `USAGE#${orgId}`]);
  await world.organizations.remove(orgId);
  await world.organizations.remove(orgId);
  expect(await left('accounts', [orgId, 'KEY#abc'])).toEqual([]);
});

test('results and uploads of an organization are deleted from the bucket', async () => {
  const [orgId, otherId] = [newOrgId(), newOrgId()];
  const put = (Key: string) => world.s3.send(new PutObjectCommand({ Bucket: world.bucket, Key, Body: 'x' }));
  for (let n = 0; n < 5; n += 1) await put(`results/${orgId}/${n}/1`);
  await put(`results/${orgId}/b/requests.ndjson`);
  await put(`results/${orgId}/cache/1`);
  await put(`results/${otherId}/${orgId}/1`);
  const objects = organizationObjects({ client: world.s3, bucket: world.bucket });
  expect(await erase(objects, orgId)).toEqual({ results: 5, uploads: 1 });
  expect(await erase(objects, orgId)).toEqual({});
  expect(await world.results.open(`results/${otherId}/${orgId}/1`)).toBeDefined();
});
