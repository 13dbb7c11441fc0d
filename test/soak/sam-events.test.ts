import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import type { JobAnswer } from '../support/client.ts';
import { localStack, type TestStack } from '../support/local-stack.ts';
import { synthesised } from '../support/synthesised-stacks.ts';

const ROOT = new URL('../..', import.meta.url);
const EVENTS = new URL('test/fixtures/events/', ROOT);

/** Placeholders in the events, and their values here. */
const PLACEHOLDERS = {
  key: 'sf_test_REPLACE_ME',
  job: '01a1fc65-ce39-73c6-a38e-ad4f30b810a7',
  target: 'https://example.com/',
};

let stack: TestStack;
let lambda: LambdaClient;
let job: string;
beforeAll(async () => {
  stack = await localStack({ assembly: await synthesised('buffered', ['buffered=true']) });
  lambda = new LambdaClient({
    endpoint: stack.endpoints.lambda,
    region: 'us-east-1',
    credentials: LOCAL_CREDENTIALS,
  });
  const submitted = await answerTo<HttpAnswer>('jobs', 'jobs-submit');
  ({ job_id: job } = JSON.parse(submitted.body) as JobAnswer);
  const isCompleted = async () => {
    const { body } = await answerTo<HttpAnswer>('jobs', 'jobs-status');
    expect(body).toContain('"status":"completed"');
  };
  await vi.waitFor(isCompleted, { timeout: 20_000, interval: 200 });
});
afterAll(async () => {
  lambda.destroy();
  await stack[Symbol.asyncDispose]();
});

type HttpAnswer = { statusCode: number; body: string; isBase64Encoded?: boolean };

/** The response of the function to the event of that name, as `sam local invoke` would print it. */
async function answerTo<Answer>(name: string, event: string): Promise<Answer> {
  const text = (await readFile(new URL(`${event}.json`, EVENTS), 'utf8'))
    .replaceAll(PLACEHOLDERS.key, stack.apiKey)
    .replaceAll(PLACEHOLDERS.target, `${stack.demoSite}/`)
    .replaceAll(PLACEHOLDERS.job, job);
  const command = new InvokeCommand({ FunctionName: stack.functions[name] ?? name, Payload: text });
  const { Payload, FunctionError } = await lambda.send(command);
  expect(FunctionError).toBeUndefined();
  return JSON.parse(Payload?.transformToString() ?? '') as Answer;
}

const HTTP: [name: string, event: string, status: number, body: string][] = [
  ['meta', 'meta', 200, '{"status":"ok"}'],
  ['account', 'account', 200, '"in_progress":0'],
  ['scraper', 'scraper', 200, '<h1>Demo site</h1>'],
  ['jobs', 'jobs-submit', 202, '"status":"pending"'],
  ['jobs', 'jobs-status', 200, '"status":"completed"'],
  ['jobs', 'jobs-result', 200, '<h1>Demo site</h1>'],
];

test.each(HTTP)('%s responds to %s.json with %i', async (name, event, status, text) => {
  const { statusCode, body, isBase64Encoded } = await answerTo<HttpAnswer>(name, event);
  expect(statusCode).toBe(status);
  expect(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString()).toContain(text);
});

const OTHERS: [name: string, event: string, answer: unknown][] = [
  ['worker', 'worker', { batchItemFailures: [] }],
  ['sweeper', 'sweeper', null],
  ['sweeper', 'sweeper-dead-letters', null],
];

test.each(OTHERS)('%s accepts %s.json', async (name, event, answer) => {
  expect(await answerTo(name, event)).toEqual(answer);
});

test('browser renders browser.json', async () => {
  const [head = '', ...lines] = (await answerTo<string>('browser', 'browser')).split('\n');
  expect(JSON.parse(head)).toMatchObject({ outcome: 'page', status: 200 });
  expect(lines.join('\n')).toContain('<h1>Demo site</h1>');
});

test('every event is tested', async () => {
  const used = [...HTTP, ...OTHERS].map(([, event]) => `${event}.json`).concat('browser.json');
  expect(used.sort()).toEqual(await readdir(EVENTS));
});

test('the guide to development names a function and a template that exist', async () => {
  const guide = await readFile(new URL('docs/development.md', ROOT), 'utf8');
  const [, id = '', file = ''] = /sam local invoke (\w+) -t cdk\.out\/sam\/(\S+)/.exec(guide) ?? [];
  const { Resources } = JSON.parse(await readFile(join(stack.assembly, file), 'utf8')) as {
    Resources: Record<string, unknown>;
  };
  expect(Resources[id]).toMatchObject({ Properties: { Handler: 'index.buffered' } });
});
