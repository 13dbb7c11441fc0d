import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, expect, test, vi } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { judgingProxy } from '../support/stack/judging-proxy.ts';
import { mailedCode, pageClient } from '../support/stack/page-client.ts';
import { assemblyOfStacks, ownStack } from '../support/stack/shared-stack.ts';
import { type JudgedCall, policyJudge } from '../support/stack/policy-judge.ts';

const resources = new AsyncDisposableStack();
const judge = await policyJudge(await assemblyOfStacks());
const calls: JudgedCall[] = [];
const refused: JudgedCall[] = [];
const stack = await ownStack({
  before: async (url) => {
    return resources.use(await judgingProxy(url, judge, { calls, refused })).url;
  },
});
// After the stack, because its functions make calls until they end.
afterAll(() => resources.disposeAsync());
const { client } = stack;
const lambda = resources.adopt(
  new LambdaClient({ region: REGION, credentials: LOCAL_CREDENTIALS, endpoint: stack.endpoints.lambda }),
  (it) => it.destroy(),
);

const url = stack.demoSite;
const scrape = async (more: object = {}) => (await client.scrape({ url, ...more })).status;
const sweep = async () => {
  const command = new InvokeCommand({ FunctionName: stack.functions['sweeper'], Payload: '{}' });
  return (await lambda.send(command)).FunctionError;
};
const described = (list: JudgedCall[]) => list.map(({ caller, action }) => `${caller} ${action}`);

test('the policies allow every operation of a caller', async () => {
  expect([await scrape(), await scrape({ render_js: true })]).toEqual([200, 200]);
  for (const render_js of [false, true]) {
    const request = { url, render_js };
    const submit = () =>
      client.post('/api/v1/scraper/jobs', request, { 'Idempotency-Key': `a-${render_js}` });
    const { job_id: id } = (await (await submit()).json()) as { job_id: string };
    expect((await client.settled(id)).job.status).toBe('completed');
    expect((await submit()).status).toBe(202);
    expect((await client.result(id)).status).toBe(200);
    expect((await client.get('/api/v1/scraper/jobs')).status).toBe(200);
    expect((await client.remove(id)).status).toBe(204);
  }
  const slow = await client.submit({ url: `${url}/slow?ms=60000` });
  expect((await client.post(`/api/v1/scraper/jobs/${slow}/cancel`, {})).status).toBe(200);
  for (const path of ['', '/usage', '/activity'])
    expect((await client.get(`/api/v1/account${path}`)).status).toBe(200);
  const hooks = '/api/v1/webhooks';
  const made = await client.post(hooks, { url });
  const { webhook_id: hook } = (await made.json()) as { webhook_id: string };
  const told = await client.submit({ url, webhook: `${url}/bare` });
  await client.settled(told);
  const sent = async () => {
    const response = await client.get(`${hooks}/${hook}/deliveries`);
    const { data } = (await response.json()) as { data: { delivery_id: string; status: string }[] };
    return data.find(({ status }) => status === 'delivered')?.delivery_id;
  };
  await vi.waitUntil(async () => (await sent()) !== undefined, { timeout: 20_000, interval: 100 });
  for (const path of ['/test', '/rotate_secret', `/deliveries/${await sent()}/redeliver`])
    expect((await client.post(`${hooks}/${hook}${path}`, {})).ok, path).toBe(true);
  for (const path of ['', `/${hook}`, '/default', '/default/deliveries'])
    expect((await client.get(hooks + path)).status).toBe(200);
  expect((await client.remove(`../../webhooks/${hook}`)).status).toBe(204);
  const failing = await client.submit({ url: `${url}/status/500`, timeout: 1_000 });
  expect((await client.settled(failing)).job.credits_used).toBe(0);
  expect(await sweep()).toBeUndefined();
  expect(refused).toEqual([]);
});

test('the policies allow what people do in the dashboard', async () => {
  const email = `ada-${Date.now()}@example.com`;
  const password = 'correct horse battery';
  const visitor = pageClient(stack.dashboardUrl);
  // The second replaces the first.
  for (let times = 0; times < 2; times += 1) await visitor.submit('/sign-up', { email, password });
  await visitor.submit('/confirm', { code: await mailedCode(stack.localDir, email) });
  expect(await visitor.submit('/sign-in', { email, password })).toMatchObject({ status: 303 });
  expect((await visitor.submit('/keys', { name: 'another', once: '1' })).html).toMatch(/sf_live_/);
  for (const path of ['/', '/keys', '/settings']) expect((await visitor.get(path)).status).toBe(200);
  expect((await visitor.submit('/rename', { name: 'Ada' })).status).toBe(303);
  expect((await visitor.submit('/rename-organization', { organization: 'Ada' })).status).toBe(303);
  expect((await visitor.submit('/delete-account', { present: password })).status).toBe(303);
  expect(refused).toEqual([]);
});

test('every function with permissions made a call that was checked', () => {
  expect([...new Set(described(calls))].sort()).toEqual(
    expect.arrayContaining([
      'account dynamodb:GetItem',
      'account dynamodb:Query',
      'account dynamodb:UpdateItem',
      'dashboard cognito-idp:AdminDeleteUser',
      'dashboard cognito-idp:AdminGetUser',
      'dashboard cognito-idp:DescribeUserPoolClient',
      'dashboard dynamodb:DeleteItem',
      'dashboard dynamodb:GetItem',
      'dashboard dynamodb:PutItem',
      'dashboard dynamodb:Query',
      'dashboard dynamodb:UpdateItem',
      'jobs dynamodb:GetItem',
      'jobs dynamodb:PutItem',
      'jobs dynamodb:UpdateItem',
      'jobs s3:GetObject',
      'jobs sqs:SendMessage',
      'notifier dynamodb:GetItem',
      'notifier dynamodb:PutItem',
      'notifier dynamodb:UpdateItem',
      'scraper dynamodb:GetItem',
      'scraper dynamodb:PutItem',
      'scraper dynamodb:UpdateItem',
      'scraper lambda:InvokeFunction',
      'sweeper dynamodb:Query',
      'webhooks dynamodb:DeleteItem',
      'webhooks dynamodb:PutItem',
      'webhooks dynamodb:Query',
      'webhooks sqs:SendMessage',
      'worker dynamodb:GetItem',
      'worker dynamodb:PutItem',
      'worker dynamodb:UpdateItem',
      'worker lambda:InvokeFunction',
      'worker dynamodb:Query',
      'worker s3:PutObject',
      'worker sqs:SendMessage',
    ]),
  );
});

test.each([
  ['scraper', 'dynamodb:UpdateItem', {}, 500],
  ['scraper', 'lambda:InvokeFunction', { render_js: true }, 502],
])('a missing permission of %s, %s, fails a scrape', async (caller, action, more, status) => {
  expect(await judge.without(caller, action, () => scrape(more))).toBe(status);
  expect(described(refused)).toContain(`${caller} ${action}`);
});

test('a missing permission of jobs fails a result and a submit', async () => {
  const id = await client.submit({ url });
  await client.settled(id);
  expect((await judge.without('jobs', 's3:GetObject', () => client.result(id))).status).toBe(500);
  const submit = () => client.post('/api/v1/scraper/jobs', { url });
  expect((await judge.without('jobs', 'dynamodb:PutItem', submit)).status).toBe(500);
});

test('a missing permission of the worker prevents a job from finishing', async () => {
  const job = await judge.without('worker', 's3:PutObject', async () => {
    const id = await client.submit({ url });
    await vi.waitUntil(() => described(refused).includes('worker s3:PutObject'), { timeout: 20_000 });
    return client.job(id);
  });
  expect(['pending', 'running']).toContain(job.status);
});

test('a missing permission of the sweeper fails a sweep', async () => {
  expect(await judge.without('sweeper', 'dynamodb:Query', sweep)).toBe('Unhandled');
});

const { accounts = '', jobs = '', activity = '', webhooks = '' } = stack.tables;
const table = (name: string) => `arn:aws:dynamodb:${REGION}:000000000000:table/${name}`;

test.each([
  ['jobs', 'dynamodb:UpdateItem', accounts, 'USAGE#org_1', true],
  ['jobs', 'dynamodb:UpdateItem', accounts, 'ORG#org_1', false],
  ['scraper', 'dynamodb:UpdateItem', accounts, 'KEY#1', false],
  ['jobs', 'dynamodb:DeleteItem', jobs, 'IDEMPOTENCY#org_1#a', true],
  ['jobs', 'dynamodb:DeleteItem', jobs, '019e2f3a', true],
  ['worker', 'dynamodb:DeleteItem', jobs, '019e2f3a', false],
  ['jobs', 'dynamodb:PutItem', accounts, 'WAITING#org_1', true],
  ['jobs', 'dynamodb:PutItem', accounts, 'KEY#1', false],
  ['scraper', 'dynamodb:GetItem', jobs, '019e2f3a', false],
  ['worker', 'dynamodb:Query', `${jobs}/index/open`, 'BACKLOG#org_1', true],
  ['scraper', 'dynamodb:Query', `${jobs}/index/open`, 'BACKLOG#org_1', false],
  ['sweeper', 'dynamodb:Query', `${accounts}/index/by_org`, '#waiting', true],
  ['sweeper', 'dynamodb:Query', `${accounts}/index/by_org`, 'org_1', false],
  ['sweeper', 'dynamodb:Query', `${jobs}/index/open`, undefined, true],
  ['browser', 'dynamodb:GetItem', accounts, 'USAGE#org_1', false],
  ['meta', 'dynamodb:GetItem', accounts, 'USAGE#org_1', false],
  ['mcp', 'dynamodb:GetItem', jobs, '019e2f3a', false],
  ['account', 'dynamodb:Query', activity, 'org_1', true],
  ['account', 'dynamodb:UpdateItem', accounts, 'KEY#1', false],
  ['scraper', 'dynamodb:PutItem', activity, 'org_1', true],
  ['scraper', 'dynamodb:Query', activity, 'org_1', false],
  ['jobs', 'dynamodb:PutItem', activity, 'org_1', true],
  ['account', 'dynamodb:PutItem', activity, 'org_1', false],
  ['jobs', 'dynamodb:PutItem', webhooks, 'DELIVERIES#org_1#1', true],
  ['jobs', 'dynamodb:PutItem', webhooks, 'ENDPOINTS#org_1', false],
  ['worker', 'dynamodb:GetItem', webhooks, 'ENDPOINTS#org_1', false],
  ['worker', 'dynamodb:Query', webhooks, 'ENDPOINTS#org_1', true],
  ['worker', 'dynamodb:Query', webhooks, 'DELIVERIES#org_1#1', false],
  ['scraper', 'dynamodb:Query', webhooks, 'ENDPOINTS#org_1', false],
  ['notifier', 'dynamodb:UpdateItem', webhooks, 'RECEIVER#org_1#1', true],
  ['notifier', 'dynamodb:UpdateItem', webhooks, 'ENDPOINTS#org_1', false],
  ['webhooks', 'dynamodb:DeleteItem', webhooks, 'ENDPOINTS#org_1', true],
  ['webhooks', 'dynamodb:DeleteItem', webhooks, 'DELIVERIES#org_1#1', false],
  ['nobody', 'dynamodb:GetItem', accounts, 'USAGE#org_1', false],
])(
  'the policy check of %s and %s on %s with the key %s returns %s',
  (caller, action, name, key, isAllowed) => {
    const leadingKeys = key === undefined ? [] : [key];
    expect(judge.allows({ caller, action, resource: table(name), leadingKeys })).toBe(isAllowed);
  },
);
