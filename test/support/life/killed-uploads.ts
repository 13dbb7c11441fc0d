import { expect, vi } from 'vitest';
import { clientOf } from '../stack/client.ts';
import { sweeperOf, usageOf } from './killing.ts';
import type { TestStack } from '../stack/local-stack.ts';
import { newOrganization } from '../world/organization.ts';

const BATCHES = '/api/v1/scraper/batches';
const LINES = 600;
const SLOTS = 8;
const KILLS = 6;
/** A dead worker's lines come back after its lease. */
const SWEPT = { interval: 1_000, timeout: 300_000 };

type Batch = {
  batch_id: string;
  status: string;
  upload_url: string;
  counts: Record<'total' | 'completed' | 'failed' | 'pending' | 'running', number>;
  credits_used: number;
};

/** Kills all workers while an upload is read and run. Each line must be charged and returned once. */
export async function uploadsSurviveKilling(stack: TestStack): Promise<void> {
  const wanted = { plan: 'business', overrides: { concurrency: SLOTS } } as const;
  const { api_key: key, org_id: orgId } = await newOrganization(stack.storage, wanted);
  const client = clientOf(stack.baseUrl, key);
  using sweeper = sweeperOf(stack);
  const made = (await (await client.post(BATCHES, { input: 'upload' })).json()) as Batch;
  const request = (n: number) =>
    JSON.stringify({ url: `${stack.demoSite}/slow?ms=100&n=${n}`, timeout: 5_000 });
  const body = Array.from({ length: LINES }, (_, n) => request(n)).join('\n');
  expect((await fetch(made.upload_url, { method: 'PUT', body })).status).toBe(200);
  const path = `${BATCHES}/${made.batch_id}`;
  expect((await client.post(`${path}/start`, {})).status).toBe(200);
  const shown = async () => (await (await client.get(path)).json()) as Batch;
  const kill = () => {
    for (const pid of stack.pids()['worker'] ?? []) process.kill(pid, 'SIGKILL');
  };

  // The first one reads the upload.
  kill();
  for (let kills = 0; kills < KILLS; kills += 1) {
    const before = (await shown()).counts.completed;
    await vi.waitUntil(async () => {
      await sweeper.sweep();
      const { counts, status } = await shown();
      return counts.completed > before || status === 'completed';
    }, SWEPT);
    kill();
  }
  await vi.waitUntil(async () => {
    await sweeper.sweep();
    return (await shown()).status === 'completed';
  }, SWEPT);
  const { counts, credits_used: credits } = await shown();
  expect(counts).toMatchObject({ total: LINES, pending: 0, running: 0 });
  expect([counts.completed + counts.failed, credits]).toEqual([LINES, counts.completed]);
  expect(counts.failed).toBeLessThan(SLOTS);

  const lines = await client.lines<{ line: number }>(`${path}/results`);
  const numbers = lines.map(({ line }) => line).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: LINES }, (_, n) => n + 1));
  await expect.poll(await usageOf(stack, orgId, sweeper), SWEPT).toEqual({ used: credits, slots: {} });
}
