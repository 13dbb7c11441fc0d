import { describe, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { newService, serviceOver } from '../support/world/api.ts';
import { atEveryCall, type Death, mortal } from '../support/world/mortal.ts';
import { page } from '../support/world/pages.ts';

const BATCHES = '/api/v1/scraper/batches';
const MINUTE_MS = 60_000;
/** A lease, and time for the sweeper to have a batch read again. */
const MINUTES = 9;

const urlOf = (n: number) => `https://example.com/${n}`;
const SIZE = 3;
const GONE = 2;
const HOOK = 'https://hooks.example/in';
const requests = Array.from({ length: SIZE }, (_, n) => ({ url: urlOf(n), custom_id: String(n) }));

async function open() {
  const { world, service } = await newService();
  const { key, orgId } = await service.organization({ overrides: { concurrency: 2, credits: 100 } });
  for (let n = 0; n < requests.length; n++) world.web[urlOf(n)] = page(`page ${n}`);
  world.web[urlOf(GONE)] = new AppError('tls_failed');
  world.answers[HOOK] = 204;
  /** The service as a process that may die. */
  const dying = (death: Death) => {
    const { hasDied, ...ports } = mortal(world, death);
    return { ...serviceOver({ ...ports, web: world.web, pass: world.pass }), hasDied };
  };
  const submit = (over = service, headers = {}) =>
    over.post(BATCHES, key, { requests, webhook: HOOK }, headers);
  const get = async (path: string) => service.ask(`${BATCHES}${path}`, { key });

  /** Lets time pass without deaths until nothing is left to do. */
  async function recover() {
    for (let minute = 0; minute < MINUTES; minute++) {
      world.pass(MINUTE_MS);
      for (const sweep of [service.sweep, service.sweepBacklogs, service.sweepBatches, service.sweepChunks])
        await sweep();
      await service.work();
      await service.sweepDeliveries();
      await service.notify();
    }
  }

  async function usage() {
    const organization = await world.organizations.find(orgId);
    if (!organization) throw new Error('There is no organization.');
    return world.usage.read(organization, world.now());
  }

  /** Every request has ended, and is counted, charged and returned once. */
  async function expectSettled(id: string) {
    const { json } = await get(`/${id}`);
    const { completed } = json['counts'] as { completed: number };
    expect(json).toMatchObject({
      counts: { total: SIZE, pending: 0, running: 0, failed: SIZE - completed, charged: completed },
      credits_used: completed,
    });
    expect(json['completed_at']).toBeDefined();
    expect(await usage()).toMatchObject({
      credits: { used: completed, available: 100 - completed },
      slots: { inUse: {} },
    });
    const results = await get(`/${id}/results`);
    const lines = results.text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { custom_id: string; status: string });
    expect([lines.map((line) => line.custom_id).sort(), results.headers['Link']]).toEqual([
      requests.map((each) => each.custom_id),
      undefined,
    ]);
    expect(lines.filter(({ status }) => status === 'completed')).toHaveLength(completed);
    // An event may arrive twice, under one id.
    const events = world.received.filter(({ url, body }) => url === HOOK && body.includes(id));
    expect(new Set(events.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    return { completed, json };
  }

  return { world, key, dying, submit, get, recover, usage, expectSettled };
}

describe('a batch is exact', { timeout: 60_000 }, () => {
  test('whichever call its worker dies at', async () => {
    await atEveryCall(open, async ({ world, dying, submit, recover, expectSettled }, death) => {
      const id = String((await submit()).json['batch_id']);
      const worker = dying(death);
      await worker.work(world.queue.take()).catch(() => undefined);
      await recover();
      const { completed, json } = await expectSettled(id);
      expect([completed, json['status']]).toEqual([SIZE - 1, 'completed']);
      return worker.hasDied();
    });
  });

  test('whichever call its submit dies at, with and without a repeat', async () => {
    await atEveryCall(open, async ({ world, dying, submit, get, recover, usage, expectSettled }, death) => {
      const service = dying(death);
      const first = await submit(service, { 'Idempotency-Key': 'a' }).catch(() => undefined);
      const isLost = first?.status !== 202;
      world.pass(MINUTE_MS);
      const again = isLost ? await submit(undefined, { 'Idempotency-Key': 'a' }) : first;
      expect(again.status).toBe(202);
      await recover();
      await expectSettled(String(again.json['batch_id']));
      expect(((await get('')).json['data'] as unknown[]).length).toBe(1);

      const unkeyed = await open();
      const other = unkeyed.dying(death);
      await unkeyed.submit(other).catch(() => undefined);
      await unkeyed.recover();
      const [batch] = (await unkeyed.get('')).json['data'] as { batch_id: string }[];
      if (batch) await unkeyed.expectSettled(batch.batch_id);
      else expect([unkeyed.world.chunks.all(), (await unkeyed.usage()).credits.used]).toEqual([[], 0]);
      expect((await usage()).slots.inUse).toEqual({});
      return service.hasDied();
    });
  });

  test('whichever call its cancel dies at', async () => {
    await atEveryCall(open, async ({ world, key, dying, submit, recover, expectSettled }, death) => {
      const id = String((await submit()).json['batch_id']);
      world.queue.take();
      const process = dying(death);
      await process.ask(`${BATCHES}/${id}/cancel`, { method: 'POST', key }).catch(() => undefined);
      await recover();
      await expectSettled(id);
      return process.hasDied();
    });
  });
});
