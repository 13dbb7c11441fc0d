import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { type Client, clientOf } from '../support/client.ts';
import { localStack, type TestStack } from '../support/local-stack.ts';

const JOBS = 100;
const KILLS = 10;
const SECOND_MS = 1_000;

let stack: TestStack;
let client: Client;
beforeAll(async () => {
  stack = await localStack();
  client = clientOf(stack.baseUrl, stack.apiKey);
});
afterAll(() => stack[Symbol.asyncDispose]());

const creditsLeft = async () =>
  Number((await client.get('/api/v1/scraper/jobs/none')).headers.get('x-credits-remaining'));

/** Sweeps again and again, so that what died need not wait for the minute to be over. */
async function sweepUntil(signal: AbortSignal): Promise<void> {
  const lambda = new LambdaClient({
    region: REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoint: stack.endpoints.lambda,
  });
  const sweep = new InvokeCommand({ FunctionName: stack.functions['sweeper'], Payload: '{}' });
  while (!signal.aborted) {
    await lambda.send(sweep);
    await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
  }
  lambda.destroy();
}

/** Kills one worker or browser, if there is one, a second, as the machine it runs on might. */
async function killOneBySecond(times: number): Promise<number> {
  let killed = 0;
  for (let time = 0; time < times; time++) {
    await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
    const { worker = [], browser = [] } = stack.pids();
    const victim = [...worker, ...browser].at(time % Math.max(1, worker.length + browser.length));
    if (victim === undefined) continue;
    process.kill(victim, 'SIGKILL');
    killed += 1;
  }
  return killed;
}

test(
  'no job is lost or charged twice while workers and browsers are killed',
  { timeout: 400_000 },
  async () => {
    const before = await creditsLeft();
    const sweeping = new AbortController();
    const sweeps = sweepUntil(sweeping.signal);
    const ids = await Promise.all(
      Array.from({ length: JOBS }, (_, i) =>
        i % 10 === 0
          ? client.submit({ url: `${stack.demoSite}/js`, render_js: true, timeout: 10_000 })
          : client.submit({ url: `${stack.demoSite}/slow?ms=500`, timeout: 3_000 }),
      ),
    );
    const [killed, ...settled] = await Promise.all([
      killOneBySecond(KILLS),
      ...ids.map((id) => client.settled(id)),
    ]);
    expect(killed).toBeGreaterThan(KILLS / 2);
    expect(new Set(settled.map(({ job }) => job.job_id)).size).toBe(JOBS);
    const failures = settled.filter(({ job }) => job.status === 'failed').map(({ job }) => job.error_code);
    // Three deaths of its worker or browser are one job's bad luck; a failure of any other kind is ours.
    expect(failures.filter((code) => code !== 'browser_crashed' && code !== 'attempts_exhausted')).toEqual(
      [],
    );
    expect(failures.length).toBeLessThan(JOBS / 10);
    const charged = settled.reduce((sum, { job }) => sum + job.credits_used, 0);
    await expect.poll(async () => before - (await creditsLeft()), { timeout: 150_000 }).toBe(charged);
    sweeping.abort();
    await sweeps;
  },
);
