import { LambdaClient } from '@aws-sdk/client-lambda';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { answerQuestion } from '../../functions/model/answer-question.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { withinTime } from '../../shared/adapters/model/within-time.ts';
import { lambdaModel } from '../../shared/adapters/web/lambda-model.ts';
import { AppError } from '../../shared/errors.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import type { Completion } from '../../shared/ports/scrape.ts';
import { targetServer } from '../support/servers/target-server.ts';
import { keptLog } from '../support/world/kept-log.ts';

const PAGE = { markdown: '# Blue Widget', text: 'Blue Widget' };
const SCHEMA = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const TOKENS = { in: 100, out: 7 };
const SPENT = { tokens_in: 100, tokens_out: 7 };
const completion = (more: Partial<Completion>): Completion => ({
  ...{ text: '', isCut: false, isRefusal: false, tokens: TOKENS },
  ...more,
});

let complete: () => Promise<Completion>;
let { log, lines } = keptLog();
/** Status, headers and body in place of the function's own answer. */
let fault: { status: number; headers?: Record<string, string>; body: string } | undefined;

beforeEach(() => {
  ({ log, lines } = keptLog());
  complete = () => Promise.resolve(completion({ text: '{"title": "Blue Widget"}' }));
  fault = undefined;
});

/** https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
const lambda = await targetServer((request, response) => {
  void text(request).then(async (sent) => {
    const fx = { ...clock, newId: () => 'id', withinTime: withinTime(), complete: () => complete() };
    const answered = async () => JSON.stringify(await answerQuestion(fx, log)(JSON.parse(sent)));
    const { status = 200, headers = {}, body = await answered() } = fault ?? {};
    response.writeHead(status, headers).end(body);
  });
});
afterAll(() => lambda[Symbol.asyncDispose]());
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
const client = new LambdaClient({
  ...{ endpoint: lambda.origin, region: 'us-east-1', credentials },
  maxAttempts: 1,
});
afterAll(() => client.destroy());

function read({ question = {}, signal = new AbortController().signal, functionName = 'model' } = {}) {
  const requestLog = openRequestLog();
  const context = { requestId: 'request-1', signal, requestLog, deadlineAt: new Date(Date.now() + 60_000) };
  const reading = lambdaModel({ client, functionName })({ schema: SCHEMA, ...PAGE, ...question }, context);
  return { reading, requestLog };
}

test('a reading comes back whole, and its line has tokens, but neither page nor values', async () => {
  const { reading } = read({ question: { truncated: true } });
  expect(await reading).toEqual({
    outcome: 'values',
    values: { title: 'Blue Widget' },
    evidence: [{ path: 'title', evidence: 'quoted' }],
    truncated: true,
    tokens: TOKENS,
  });
  expect(lines).toMatchObject([{ level: 'info', message: 'model', request_id: 'request-1', ...SPENT }]);
  expect(JSON.stringify(lines)).not.toContain('Widget');
});

test('an error comes back with its fields, and its tokens are logged at both sides', async () => {
  complete = () => Promise.resolve(completion({ isRefusal: true }));
  const { reading, requestLog } = read();
  await expect(reading).rejects.toMatchObject({
    code: 'extraction_invalid',
    message: 'The model refused to answer.',
  });
  const caller = keptLog();
  requestLog.write(caller.log, 'request');
  for (const line of [lines[0], caller.lines[0]]) expect(line).toMatchObject(SPENT);
});

test('a model that is overloaded says when to come back', async () => {
  complete = () => Promise.reject(new AppError('model_failed', { retryAfter: 600 }));
  await expect(read().reading).rejects.toMatchObject({ code: 'model_failed', retryAfter: 600 });
});

test.each([
  ['TooManyRequestsException', 429, 'busy'],
  ['EC2ThrottledException', 502, 'busy'],
  ['ServiceException', 500, 'model_failed'],
])('%s of the function is %s: %s', async (name, status, code) => {
  fault = { status, headers: { 'X-Amzn-ErrorType': name }, body: '{"message": "No."}' };
  await expect(read().reading).rejects.toMatchObject({ code });
});

test.each([
  ['that failed', { 'X-Amz-Function-Error': 'Unhandled' }, '{"errorMessage": "# Blue Widget"}'],
  ['that answers with something else', {}, '{"outcome": "other"}'],
])('a function %s is a failed model, and what it says is not repeated', async (_, headers, body) => {
  fault = { status: 200, headers, body };
  const error: unknown = await read().reading.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'model_failed' });
  expect(String((error as Error).cause)).not.toContain('Widget');
});

test('when time is over, nobody waits for the function', async () => {
  complete = () => Promise.withResolvers<Completion>().promise;
  const signal = AbortSignal.timeout(50);
  await expect(read({ signal }).reading).rejects.toMatchObject({
    code: 'timeout',
    fields: { phase: 'model' },
  });
});
