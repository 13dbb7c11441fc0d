import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventNames, eventsOf, filled, functionNames, readEvent } from '../../infra/invoke/events.ts';
import { runningStack, samEnvironment, variablesIn } from '../../infra/invoke/variables.ts';
import { type LambdaFunction, runFunction } from '../../local/lambda/lambda-function.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { functionsIn, variablesOf } from '../support/stack/as-sam-reads.ts';
import { type TestStack, localStack } from '../support/stack/local-stack.ts';

/** An address of this machine besides loopback's usual one, like Docker's bridge. */
const HOST = '127.0.0.2';
const STACKS = ['service', 'dashboard'];

const ROOT = new URL('../..', import.meta.url);
const path = [dirname(process.execPath), readLocalEnv().path].join(':');
/** Where `npm run sam:template` leaves them. */
const TEMPLATES = fileURLToPath(new URL('cdk.out/sam', ROOT));

let stack: TestStack;
let functions: Record<string, LambdaFunction>;
let job: string;
let org: string;
const used = new AsyncDisposableStack();
afterAll(() => used.disposeAsync());

beforeAll(async () => {
  const home = used.use(await mkdtempDisposable(join(tmpdir(), 'sam-events-')));
  await promisify(execFile)('npm', ['run', 'sam:template'], {
    cwd: ROOT,
    env: { PATH: path, HOME: home.path },
  });
  stack = used.use(await localStack({ assembly: TEMPLATES, emulatorsHost: HOST }));
  functions = await asInSam(join(home.path, 'tmp'));
  used.defer(async () => void (await Promise.all(Object.values(functions).map((it) => it.stop()))));
  ({ org_id: org } = JSON.parse((await answerTo<HttpAnswer>('account')).body) as { org_id: string });
  const { body } = await answerTo<HttpAnswer>('jobs-submit');
  ({ job_id: job } = JSON.parse(body) as { job_id: string });
  const isCompleted = async () =>
    expect((await answerTo<HttpAnswer>('jobs-status')).body).toContain('"status":"completed"');
  await vi.waitFor(isCompleted, { timeout: 20_000, interval: 200 });
});

/** The functions of the template, with the variables that SAM would set, but without a container. */
async function asInSam(temporary: string): Promise<Record<string, LambdaFunction>> {
  const { specs, emulators_host: host } = await runningStack(stack.localDir);
  const file = samEnvironment(variablesIn(Object.values(specs), host));
  const templates = await Promise.all(
    STACKS.map((name) => readFile(join(TEMPLATES, `sitefetch-dev-${name}.template.json`), 'utf8')),
  );
  const found = templates.flatMap((text) => functionsIn(JSON.parse(text) as never, TEMPLATES));
  const entries = found.map((it): [string, LambdaFunction] => {
    const label = it.id.replace(/Function[0-9A-F]{8}$/, '').toLowerCase();
    const spec = {
      name: it.id,
      label,
      arn: `arn:aws:lambda:us-east-1:012345678912:function:${it.id}`,
      taskRoot: it.code,
      handler: it.Handler,
      timeoutSeconds: it.Timeout,
      memoryMb: it.MemorySize,
      // A container has the layer at /opt.
      variables: { PATH: path, ...variablesOf(it, file), CHROMIUM_DIR: join(it.layers[0] ?? '', 'chromium') },
    };
    return [
      label,
      runFunction({
        spec,
        temporary: join(temporary, label),
        reservedConcurrency: 10,
        maxEnvironments: 1,
        log: () => undefined,
      }),
    ];
  });
  return Object.fromEntries(entries);
}

type HttpAnswer = { statusCode: number; body: string; isBase64Encoded?: boolean };

/** The response of its function to the event, as `sam local invoke` would print it. */
async function answerTo<Answer>(event: string): Promise<Answer> {
  const name = functionNames.find((each) => eventsOf(each).includes(event)) ?? '';
  const url = `${stack.demoSite.replace('127.0.0.1', HOST)}/`;
  const payload = filled(await readEvent(event), { key: stack.apiKey, url, id: job, org });
  const answer = await functions[name]?.invoke(JSON.stringify(payload));
  if (!answer) throw new Error(`There is no function for ${event}.`);
  const body = await buffer(answer.body);
  expect(await answer.fault).toBeUndefined();
  return JSON.parse(body.toString()) as Answer;
}

const HTTP: [event: string, status: number, body: string][] = [
  ['meta', 200, '{"status":"ok"}'],
  ['account', 200, '"in_progress":0'],
  ['scraper', 200, '<h1>Demo site</h1>'],
  ['jobs-submit', 202, '"status":"pending"'],
  ['jobs-status', 200, '"status":"completed"'],
  ['jobs-result', 200, '<h1>Demo site</h1>'],
  ['batches-submit', 202, '"total":1'],
  ['batches-status', 404, '"code":"not_found"'],
  ['batches-results', 404, '"code":"not_found"'],
  ['webhooks', 200, '{"data":[]}'],
  ['webhooks-create', 201, '"secret":"whsec_'],
  ['mcp', 200, '"name":"scrape"'],
  ['dashboard', 200, 'Sign in'],
];

test.each(HTTP)('%s.json gets %i', async (event, status, text) => {
  const { statusCode, body, isBase64Encoded } = await answerTo<HttpAnswer>(event);
  expect(statusCode).toBe(status);
  expect(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString()).toContain(text);
});

const OTHERS: [event: string, answer: unknown][] = [
  ['worker', { batchItemFailures: [] }],
  ['worker-backlog', { batchItemFailures: [] }],
  ['worker-upload', { batchItemFailures: [] }],
  ['notifier', { batchItemFailures: [] }],
  ['notifier-credits', { batchItemFailures: [] }],
  ['sweeper', null],
  ['sweeper-dead-letters', null],
];

test.each(OTHERS)('%s.json is accepted', async (event, answer) => {
  expect(await answerTo(event)).toEqual(answer);
});

test('browser.json is rendered', async () => {
  const [head = '', ...lines] = (await answerTo<string>('browser')).split('\n');
  expect(JSON.parse(head)).toMatchObject({ outcome: 'page', status: 200 });
  expect(lines.join('\n')).toContain('<h1>Demo site</h1>');
});

test('model.json fails without an endpoint', async () => {
  expect(await answerTo('model')).toMatchObject({ outcome: 'error', code: 'model_failed' });
});

test('every event is tested', () => {
  const tested = [...HTTP, ...OTHERS].map(([event]) => event).concat('browser', 'model');
  expect(tested.sort()).toEqual(eventNames);
});
