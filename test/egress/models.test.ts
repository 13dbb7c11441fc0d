import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { bedrockClient, bedrockModel } from '../../shared/adapters/model/bedrock-model.ts';
import { openaiModel } from '../../shared/adapters/model/openai-model.ts';
import type { Message } from '../../shared/domain/scrape/extraction/prompt.ts';
import { messagesFor } from '../../shared/domain/scrape/extraction/prompt.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { faults, honest, modelServer } from '../support/servers/model-server.ts';
import { canary, tlsServer } from '../support/servers/target-server.ts';

const ca = [readFileSync(new URL('../fixtures/tls/ca.pem', import.meta.url), 'utf8')];
const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const KEY = 'sk-of-the-operator';
const PAGE = 'Widget 1299';
const messages: Message[] = messagesFor({ schema, markdown: PAGE, known: {}, boundary: 'b' });

const server = await modelServer();
const client = bedrockClient({ endpoint: server.origin, region: REGION, credentials: LOCAL_CREDENTIALS });
afterAll(() => {
  client.destroy();
  return server[Symbol.asyncDispose]();
});
beforeEach(() => {
  server.script = honest;
  server.asked.length = 0;
});

const options = { name: 'reader-1', structured: 'json_schema', readKey: () => Promise.resolve(KEY) } as const;
const models = {
  openai: openaiModel({ ...options, baseUrl: server.baseUrl }),
  bedrock: bedrockModel({ client, modelId: 'amazon.nova-lite-v1:0' }),
};
const within = (ms: number) => {
  const time = new AbortController();
  setTimeout(() => time.abort(new AppError('timeout')), ms);
  return time.signal;
};
const ask = (kind: keyof typeof models, signal = new AbortController().signal) =>
  models[kind](messages, { schema, signal });
const faultOf = async (asked: Promise<unknown>) => {
  const { code, retryAfter, fields, cause } = toAppError(await asked.catch((error: unknown) => error));
  return { code, retryAfter, fields, cause: String(cause) };
};

describe.each(['openai', 'bedrock'] as const)('%s', (kind) => {
  test('reads the page and says what that took', async () => {
    const answer = await ask(kind);
    expect(answer).toMatchObject({ isCut: false, isRefusal: false, tokens: { in: 100, out: 20 } });
    expect(JSON.parse(answer.text)).toEqual({ title: 'Widget' });
    expect(server.asked).toMatchObject([{ schema, page: PAGE, isRepair: false }]);
  });

  test('says that an answer is cut off, or refused', async () => {
    server.script = faults.length;
    expect(await ask(kind)).toMatchObject({ isCut: true, isRefusal: false });
    server.script = faults.refusal;
    expect(await ask(kind)).toMatchObject({ isRefusal: true });
    server.script = faults.filtered;
    expect(await ask(kind)).toMatchObject({ isRefusal: true });
  });

  test.each(['failing', 'cut'] as const)('may be called again after %s', async (fault) => {
    server.script = faults[fault];
    expect(await faultOf(ask(kind))).toMatchObject({ code: 'model_failed', retryAfter: 1 });
  });

  test('ends with its deadline', async () => {
    server.script = faults.late;
    const fault = await faultOf(ask(kind, within(300)));
    expect(fault).toMatchObject({ code: 'timeout', fields: { phase: 'model' } });
  });
});

describe('an endpoint', () => {
  test('gets one request without tools, and the schema as it can take that', async () => {
    await ask('openai');
    for (const structured of ['json_object', 'none'] as const)
      await openaiModel({ ...options, structured, baseUrl: `${server.baseUrl}/` })(messages, {
        schema,
        signal: within(5_000),
      });
    expect(server.asked.map(({ path, authorization }) => [path, authorization])).toEqual(
      Array(3).fill(['/v1/chat/completions', `Bearer ${KEY}`]),
    );
    const [strictly, asObject, plainly] = server.asked.map(({ body }) => body);
    const common = { model: 'reader-1', messages, stream: false };
    const json_schema = { name: 'values', schema, strict: false };
    expect(strictly).toEqual({ ...common, response_format: { type: 'json_schema', json_schema } });
    expect(asObject).toEqual({ ...common, response_format: { type: 'json_object' } });
    expect(plainly).toEqual(common);
  });

  test('without a key gets none', async () => {
    const keyless = { ...options, readKey: () => Promise.resolve(undefined) };
    await openaiModel({ ...keyless, baseUrl: server.baseUrl })(messages, { schema, signal: within(5_000) });
    expect(server.asked[0]?.authorization).toBeUndefined();
  });

  test('that wants a pause has it passed on', async () => {
    server.script = () => ({ ...faults.throttled(), headers: { 'Retry-After': '7' } });
    expect(await faultOf(ask('openai'))).toMatchObject({ code: 'model_failed', retryAfter: 7 });
  });

  test.each([
    ['sends a page', 'html'],
    ['sends no choice', 'empty'],
    ['sends too much', 'huge'],
  ] as const)('that %s fails, and its words are in no log', async (_, fault) => {
    server.script = faults[fault];
    const found = await faultOf(ask('openai'));
    expect(found).toMatchObject({ code: 'model_failed', retryAfter: undefined });
    expect(found.cause).not.toMatch(/Welcome|xxx/);
  });

  test.each([400, 401, 403, 404])('that answers %i is not called again', async (status) => {
    server.script = () => ({ status, raw: `{"error":{"message":"no ${KEY}"}}` });
    const found = await faultOf(ask('openai'));
    expect(found).toMatchObject({ code: 'model_failed', retryAfter: undefined });
    expect(found.cause).toBe(`Error: The endpoint answered with status ${status}.`);
  });

  test('that counts wrongly has read and written nothing', async () => {
    server.script = faults.wrongUsage;
    expect(await ask('openai')).toMatchObject({ tokens: { in: 0, out: 0 } });
    server.script = (asked) => ({ ...honest(asked), usage: 'none' });
    expect(await ask('openai')).toMatchObject({ tokens: { in: 0, out: 0 } });
  });

  test('that redirects is not followed', async () => {
    await using secret = await canary();
    server.script = () => ({ status: 307, headers: { Location: `${secret.origin}/` }, raw: '' });
    expect(await faultOf(ask('openai'))).toMatchObject({ code: 'model_failed', retryAfter: undefined });
    expect(secret.connections()).toBe(0);
  });

  test('that is not there may be called again', async () => {
    const gone = await modelServer();
    await gone[Symbol.asyncDispose]();
    const model = openaiModel({ ...options, baseUrl: gone.baseUrl });
    const found = await faultOf(model(messages, { schema, signal: within(5_000) }));
    expect(found).toMatchObject({ code: 'model_failed', retryAfter: 1 });
  });

  test('whose key cannot be read fails', async () => {
    const readKey = () => Promise.reject(new Error('AccessDeniedException'));
    const model = openaiModel({ ...options, readKey, baseUrl: server.baseUrl });
    const found = await faultOf(model(messages, { schema, signal: within(5_000) }));
    expect(found).toMatchObject({ code: 'model_failed', retryAfter: undefined });
    expect(server.asked).toEqual([]);
  });

  test('is reached over TLS, and its certificate is checked', async () => {
    await using secure = await tlsServer((_, response) => {
      response.end(JSON.stringify({ choices: [{ message: { content: '{}' }, finish_reason: 'stop' }] }));
    });
    const baseUrl = `https://localhost:${secure.port}/v1`;
    const [trusting, wary] = [openaiModel({ ...options, baseUrl, ca }), openaiModel({ ...options, baseUrl })];
    expect(await trusting(messages, { schema, signal: within(5_000) })).toMatchObject({ text: '{}' });
    expect(await faultOf(wary(messages, { schema, signal: within(5_000) }))).toMatchObject({
      code: 'model_failed',
    });
  });
});

test('Bedrock that throttles may be called again, and that refuses may not', async () => {
  const saying = (status: number, type: string) => () => ({
    ...{ status, headers: { 'x-amzn-errortype': type } },
    raw: `{"message":"about ${PAGE}"}`,
  });
  server.script = saying(429, 'ThrottlingException');
  expect(await faultOf(ask('bedrock'))).toMatchObject({ code: 'model_failed', retryAfter: 1 });
  server.script = saying(403, 'AccessDeniedException');
  expect(await faultOf(ask('bedrock'))).toMatchObject({
    ...{ code: 'model_failed', retryAfter: undefined },
    cause: 'Error: Bedrock failed with AccessDeniedException (403).',
  });
});
