import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, expect, test, vi } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { clientOf } from '../support/client.ts';
import { sharedStack } from '../support/local-stack.ts';
import { newOrganization } from '../support/organization.ts';

const WAVES = 4;
const JOBS_A_WAVE = 10;
const RENDERED_A_WAVE = 2;
/** What died need not wait for the sweeper's minute to be over. */
const SWEPT_EVERY = { interval: 1_000, timeout: 150_000 };

const stack = await sharedStack();
// What dies holds its slot for a while.
const wanted = { plan: 'business', overrides: { concurrency: 100 } } as const;
const client = clientOf(stack.baseUrl, (await newOrganization(stack.storage, wanted)).api_key);
const lambda = new LambdaClient({
  region: REGION,
  credentials: LOCAL_CREDENTIALS,
  endpoint: stack.endpoints.lambda,
});
afterAll(() => lambda.destroy());

const creditsLeft = async () =>
  Number((await client.get('/api/v1/scraper/jobs/none')).headers.get('x-credits-remaining'));
const sweep = () =>
  lambda.send(new InvokeCommand({ FunctionName: stack.functions['sweeper'], Payload: '{}' }));

/** Submits jobs, and kills all workers or all browsers once they are at it, as the machine they run on might. */
async function wave(victims: 'worker' | 'browser'): Promise<string[]> {
  const rendered = victims === 'browser' ? RENDERED_A_WAVE : 0;
  const ids = await Promise.all(
    Array.from({ length: JOBS_A_WAVE }, (_, i) =>
      client.submit({ url: `${stack.demoSite}/slow?ms=1500`, timeout: 5_000, render_js: i < rendered }),
    ),
  );
  for (const id of ids)
    await vi.waitUntil(async () => (await client.job(id)).status !== 'pending', { timeout: 30_000 });
  const { [victims]: pids = [] } = stack.pids();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return ids;
}

test(
  'no job is lost or charged twice while workers and browsers are killed',
  { timeout: 400_000 },
  async () => {
    const before = await creditsLeft();
    const ids: string[] = [];
    for (let turn = 0; turn < WAVES; turn += 1) ids.push(...(await wave(turn % 2 ? 'browser' : 'worker')));
    let isOver = false;
    const settling = Promise.all(ids.map((id) => client.settled(id))).finally(() => (isOver = true));
    await vi.waitUntil(async () => {
      await sweep();
      return isOver;
    }, SWEPT_EVERY);
    const jobs = (await settling).map(({ job }) => job);
    expect(new Set(jobs.map(({ job_id }) => job_id)).size).toBe(WAVES * JOBS_A_WAVE);
    expect(jobs.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(WAVES);
    const failures = jobs.filter(({ status }) => status === 'failed').map(({ error_code }) => error_code);
    // Three deaths of its worker or browser are one job's bad luck; a failure of any other kind is ours.
    expect(failures.filter((code) => code !== 'browser_crashed' && code !== 'attempts_exhausted')).toEqual(
      [],
    );
    expect(failures.length).toBeLessThan(WAVES);
    const charged = jobs.reduce((sum, { credits_used }) => sum + credits_used, 0);
    const spent = async () => {
      await sweep();
      return before - (await creditsLeft());
    };
    await expect.poll(spent, SWEPT_EVERY).toBe(charged);
  },
);
