import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { areGone, localFunction } from '../support/stack/local-functions.ts';

const streaming = (body: string) => `export const handler = awslambda.streamifyResponse(
  async (event, stream, context) => { ${body} });`;

test('a function gets its event, its variables and a context, and responds', async () => {
  await using probe = await localFunction(`export const handler = async (event, context) => ({
    event, greeting: process.env.GREETING, ids: context.awsRequestId.length, memory: context.memoryLimitInMB,
    hasTime: context.getRemainingTimeInMillis() > 1000, outside: Object.keys(process.env).includes('npm_config_cache') });`);
  const { payload, functionError } = await probe.invoke({ a: 1 });
  expect(functionError).toBeUndefined();
  expect(payload).toEqual({
    event: { a: 1 },
    greeting: 'hello',
    ids: 36,
    memory: '256',
    hasTime: true,
    outside: false,
  });
});

test('a function can start a thread from a file', async () => {
  await using probe =
    await localFunction(`import { Worker, isMainThread, parentPort } from 'node:worker_threads';
    if (!isMainThread) parentPort.postMessage('started');
    export const handler = () => new Promise((resolve, reject) =>
      new Worker(new URL(import.meta.url)).once('message', resolve).once('error', reject));`);
  expect((await probe.invoke()).payload).toBe('started');
});

test('a wrapper is started with the command line of the runtime, and can change its variables', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'wrapper-'));
  const wrapper = join(folder.path, 'wrapper');
  await writeFile(wrapper, '#!/bin/sh\nexport GREETING="$GREETING, wrapped"\nexec "$@"\n', { mode: 0o755 });
  await using probe = await localFunction(
    `export const handler = () => Promise.resolve(process.env.GREETING);`,
    { variables: { AWS_LAMBDA_EXEC_WRAPPER: wrapper } },
  );
  expect((await probe.invoke()).payload).toBe('hello, wrapped');
});

test('a thrown error is returned with its name, message and trace, and the environment is kept', async () => {
  await using probe = await localFunction(`let calls = 0;
    export const handler = async ({ fails }) => { calls += 1; if (fails) throw new RangeError('too far'); return { calls }; };`);
  const { payload, functionError } = await probe.invoke({ fails: true });
  expect(functionError).toBe('Unhandled');
  expect(payload).toMatchObject({ errorType: 'RangeError', errorMessage: 'too far' });
  expect((await probe.invoke()).payload).toEqual({ calls: 2 });
});

test('a streamed response arrives completely, with its metadata first', async () => {
  await using probe = await localFunction(
    streaming(`stream = awslambda.HttpResponseStream.from(stream, { statusCode: 201 });
    for (let i = 0; i < 20; i += 1) if (!stream.write(Buffer.alloc(1e6, i))) await new Promise((go) => stream.once('drain', go));
    stream.end();`),
  );
  const { bytes, errorCode } = await probe.stream();
  expect(errorCode).toBeUndefined();
  expect(bytes.subarray(0, 26)).toEqual(Buffer.from('{"statusCode":201}\0\0\0\0\0\0\0\0'));
  expect(bytes.length).toBe(26 + 20e6);
  expect(bytes.at(-1)).toBe(19);
});

test('a stream that fails midway delivers its bytes and then the error', async () => {
  await using probe = await localFunction(streaming(`stream.write('half'); throw new TypeError('no more');`));
  const { bytes, errorCode } = await probe.stream();
  expect(bytes.toString()).toBe('half');
  expect(errorCode).toBe('TypeError');
});

test('an invocation over its timeout is killed with its child processes and its environment', async () => {
  await using probe = await localFunction(
    `import { spawn } from 'node:child_process';
    export const handler = async ({ hangs }) => {
      if (!hangs) return { pid: process.pid };
      const child = spawn('sleep', ['1000'], { detached: true });
      console.log('pids', process.pid, child.pid);
      await new Promise(() => setInterval(() => {}, 1000));
    };`,
    { timeoutSeconds: 2 },
  );
  const { payload } = await probe.invoke({ hangs: true });
  expect(payload).toMatchObject({ errorType: 'Sandbox.Timedout' });
  const pids = (probe.messages[0] ?? '').split(' ').slice(1).map(Number);
  expect(pids).toHaveLength(2);
  await vi.waitFor(async () => expect(await areGone(pids)).toBe(true));
  expect(pids).not.toContain((await probe.invoke()).payload['pid']);
});

test('a process that exits or is killed fails only its invocation', async () => {
  await using probe = await localFunction(
    `export const handler = async ({ exits }) => { if (exits) process.exit(3); return 'well'; };`,
  );
  expect((await probe.invoke({ exits: true })).payload).toMatchObject({
    errorType: 'Runtime.ExitError',
    errorMessage: 'Runtime exited with error: exit status 3',
  });
  expect((await probe.invoke()).payload).toBe('well');
  for (const pid of probe.lambda.pids()) process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(probe.lambda.pids()).toEqual([]));
  expect((await probe.invoke()).payload).toBe('well');
});

test('a stream is cut off when its process is killed', async () => {
  await using probe = await localFunction(
    streaming(`await new Promise((go) => stream.write('half', go)); process.kill(process.pid, 'SIGKILL');`),
  );
  const { bytes, errorCode } = await probe.stream();
  expect(bytes.toString()).toBe('half');
  expect(errorCode).toMatch(/^Runtime\./);
});

test.each([
  ['an exception outside of the handler', `setImmediate(() => { throw new Error('astray'); })`],
  ['an unhandled rejection', `void Promise.reject(new Error('astray'))`],
])('%s ends the environment, and only the log has the reason', async (_, fault) => {
  await using probe = await localFunction(
    `export const handler = ({ fails }) => new Promise((go) => { if (fails) ${fault}; else go('well'); });`,
  );
  expect((await probe.invoke({ fails: true })).payload).toMatchObject({
    errorType: 'Runtime.ExitError',
    errorMessage: 'Runtime exited with error: exit status 1',
  });
  expect(probe.lines.join('\n')).toContain('Error: astray');
  expect((await probe.invoke()).payload).toBe('well');
});

test('the console writes time, request, level and message on one line, and stdout is unchanged', async () => {
  await using probe =
    await localFunction(`export const handler = async (event, { awsRequestId, logGroupName, logStreamName }) => {
    console.warn('%d of', 1, { a: 2 }, 'two'); console.log('on'); process.stdout.write('{"bare":true}\\n');
    return { awsRequestId, logs: [logGroupName, logStreamName] }; };`);
  const { payload } = await probe.invoke();
  expect(payload['logs']).toEqual(['/aws/lambda/probe', expect.stringMatching(/./)]);
  const [warned, logged, bare] = await vi.waitUntil(() => probe.lines.length === 3 && probe.lines);
  expect(warned?.split('\t').slice(1)).toEqual([payload['awsRequestId'], 'WARN', '1 of { a: 2 } two']);
  expect(warned).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\t/);
  expect(logged).toMatch(/\tINFO\ton$/);
  expect(bare).toBe('{"bare":true}');
});

test('a module that throws fails the invocation that started it', async () => {
  await using probe = await localFunction(`throw new Error('bad environment');`);
  expect((await probe.invoke()).payload).toMatchObject({ errorMessage: 'bad environment' });
  await expect(probe.lambda.warmUp()).rejects.toThrow('bad environment');
});

test('concurrent invocations get an environment each, up to the cap, and idle ones are reused', async () => {
  await using probe = await localFunction(
    `export const handler = async ({ ms }) => { await new Promise((go) => setTimeout(go, ms)); return process.pid; };`,
    { maxEnvironments: 2 },
  );
  const results = await Promise.all(Array.from({ length: 5 }, () => probe.invoke({ ms: 100 })));
  expect(new Set(results.map(({ payload }) => payload)).size).toBe(2);
  expect(probe.lambda.pids()).toContain((await probe.invoke({ ms: 0 })).payload);
});

test('invocations above the reserved concurrency are throttled', async () => {
  await using probe = await localFunction(
    `export const handler = () => new Promise((go) => setTimeout(go, 200));`,
    { reservedConcurrency: 1 },
  );
  const results = await Promise.allSettled([probe.invoke(), probe.invoke()]);
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  expect(refused.map(({ name }) => name)).toEqual(['TooManyRequestsException']);
});

test('a stop leaves no process and no temporary file', async () => {
  await using probe = await localFunction(
    `import { writeFileSync } from 'node:fs'; import { tmpdir } from 'node:os'; import { join } from 'node:path';
    export const handler = async () => { writeFileSync(join(tmpdir(), 'left'), ''); return process.pid; };`,
  );
  const { payload } = await probe.invoke();
  expect(await probe.leftovers()).toHaveLength(1);
  await probe.lambda.stop();
  expect(await areGone([Number(payload)])).toBe(true);
  expect(await probe.leftovers()).toEqual([]);
});

test('a stream over its timeout is cut off', async () => {
  await using probe = await localFunction(
    streaming(`for (;;) { stream.write('more'); await new Promise((go) => setTimeout(go, 1)); }`),
    { timeoutSeconds: 1 },
  );
  expect((await probe.stream()).errorCode).toBe('Sandbox.Timedout');
});
