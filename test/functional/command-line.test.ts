import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildCommandLine } from '../../clients/build.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { targetServer } from '../support/servers/target-server.ts';

// Starting a process is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const { path: PATH } = readLocalEnv();

/** The published command line, which is one file. */
const built = await mkdtempDisposable(join(tmpdir(), 'cli-'));
const PROGRAM = join(built.path, 'sitefetch.mjs');
beforeAll(() => buildCommandLine(PROGRAM));
afterAll(() => built.remove());
const PAGE = { 'X-Target-Status': '200', 'X-Page-Verdict': 'page', 'X-Credits-Used': '1' };
const SOON = { timeout: 30_000 };

type Run = { code: number; stdout: string; stderr: string };
type Reply = (response: ServerResponse, request: IncomingMessage) => unknown;

function sitefetch(args: string[], env: object = {}, input = ''): Promise<Run> {
  const { promise, resolve } = Promise.withResolvers<Run>();
  const child = execFile(
    process.execPath,
    [PROGRAM, ...args],
    { env: { PATH, ...env } },
    (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
  );
  child.stdin?.end(input);
  return promise;
}

const page =
  (body: string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(200, { ...PAGE, 'Content-Type': 'text/html', ...headers }).end(body);

const json =
  (body: object, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(200, headers).end(JSON.stringify(body));

const problem =
  (status: number, code: string, retryable = false): Reply =>
  (response) => {
    const body = { code, message: 'What went wrong.', request_id: 'the-request', retryable, retry_after: 0 };
    response.writeHead(status).end(JSON.stringify(body));
  };

/** A service with these replies, one after the other, and the environment of a caller. */
async function service(...replies: Reply[]) {
  const requests: { line: string; key: unknown; body: string }[] = [];
  const server = await targetServer((request, response) => {
    void buffer(request).then((body) => {
      const key = request.headers['idempotency-key'];
      requests.push({ line: `${request.method} ${request.url}`, key, body: body.toString() });
      void (replies.shift() ?? problem(500, 'internal'))(response, request);
    });
  });
  return { ...server, requests, env: { SITEFETCH_URL: server.origin, SITEFETCH_KEY: 'sf_test' } };
}

test('a page goes to stdout alone, and its headers and cost to stderr', async () => {
  await using api = await service(page('<h1>', { 'X-Credits-Remaining': '9', 'X-Credits-Reason': 'page' }));
  const run = await sitefetch(['example.com', '--headers', '--cost', '--set', 'timeout=5000'], api.env);
  expect(run).toMatchObject({ code: 0, stdout: '<h1>' });
  expect(run.stderr).toMatch(/^x-target-status: 200$/m);
  expect(run.stderr).toMatch(/^1 credits \(page\), 9 left$/m);
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({ url: 'https://example.com', timeout: 5_000 });
});

test('a page can be written to a file, or as JSON', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
  await using api = await service(page('<h1>'), page('<h1>'));
  const file = join(folder.path, 'page.html');
  expect(await sitefetch(['http://a.test/', '-o', file], api.env)).toMatchObject({ code: 0, stdout: '' });
  expect(await readFile(file, 'utf8')).toBe('<h1>');
  const { stdout } = await sitefetch(['http://a.test/', '--json'], api.env);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 200,
    verdict: 'page',
    body: '<h1>',
    credits: { used: 1 },
  });
});

test.each<[number, string, Reply]>([
  [1, 'a fault of the service', problem(500, 'internal')],
  [2, 'a request that is not valid', problem(400, 'invalid_request')],
  [3, 'a key that is unknown', problem(401, 'unauthorized')],
  [3, 'a key that may not do that', problem(403, 'key_not_allowed')],
  [4, 'credits that are used up', problem(402, 'insufficient_credits')],
  [5, 'a target that fails', problem(502, 'tls_failed')],
  [5, 'an error page of the target', page('gone', { 'X-Target-Status': '404' })],
  [6, 'a bot wall', page('captcha', { 'X-Page-Verdict': 'bot_wall; by=cloudflare' })],
  [7, 'a target that is too slow', problem(504, 'timeout')],
])('it exits with %d after %s', async (code, _, answer) => {
  await using api = await service(answer);
  const run = await sitefetch(['http://a.test/'], api.env);
  expect(run.code, run.stderr).toBe(code);
  expect(run.stderr).toMatch(/^sitefetch: /);
});

test.each([
  [[]],
  [['crwal']],
  [['jobs']],
  [['jobs', 'wait']],
  [['http://a.test/', 'http://b.test/']],
  [['http://a.test/', '--formt', 'text']],
  [['map', 'http://a.test/', '--limit', 'many']],
  [['http://a.test/', '--set', 'nonsense']],
  [['completion', 'fish']],
])('it exits with 2 if it is called as %j', async (args) => {
  const run = await sitefetch(args, { SITEFETCH_URL: 'http://127.0.0.1:1', SITEFETCH_KEY: 'sf_test' });
  expect(run).toMatchObject({ code: 2, stdout: '' });
});

test('a busy service is called five more times', async () => {
  const busy = problem(503, 'busy', true);
  await using api = await service(busy, busy, busy, busy, busy, page('<h1>'));
  expect(await sitefetch(['http://a.test/'], api.env)).toMatchObject({ code: 0, stdout: '<h1>' });
});

test('a reader that closes stdout early, such as head, is not an error', async () => {
  await using api = await service(page('a'.repeat(1_000_000)));
  const script = '"$0" "$1" http://a.test/ | head -c 1; echo " ${PIPESTATUS[0]}"';
  const env = { PATH, ...api.env };
  const run = await promisify(execFile)('bash', ['--norc', '-c', script, process.execPath, PROGRAM], { env });
  expect(run).toEqual({ stdout: 'a 0\n', stderr: '' });
});

test('login keeps a key that works, readable by its owner alone, and later calls use it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
  await using api = await service(json({ name: 'Test' }), problem(401, 'unauthorized'), page('<h1>'));
  const home = { HOME: folder.path };
  const file = join(folder.path, '.config/sitefetch/settings.json');
  expect(await sitefetch(['http://a.test/'], home)).toMatchObject({ code: 2 });
  const login = (key: string) => sitefetch(['login', '--url', api.origin], home, `${key}\n`);
  expect(await login('sf_secret')).toMatchObject({ code: 0, stdout: '' });
  expect(await login('sf_wrong')).toMatchObject({ code: 3 });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url: api.origin, key: 'sf_secret' });
  expect(await sitefetch(['http://a.test/'], home)).toMatchObject({ code: 0, stdout: '<h1>' });
});

test("login makes a file of settings that others could read its owner's alone", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
  await using api = await service(json({ name: 'Test' }));
  const file = join(folder.path, 'sitefetch/settings.json');
  await mkdir(dirname(file));
  await writeFile(file, '{"url": "http://old.test"', { mode: 0o644 });
  const env = { XDG_CONFIG_HOME: folder.path };
  const broken = await sitefetch(['http://a.test/'], env);
  expect(broken).toMatchObject({ code: 2, stdout: '' });
  expect(broken.stderr).toContain(`${file} cannot be read: `);
  expect(broken.stderr).toContain('sitefetch login');
  expect(await sitefetch(['login', '--url', api.origin], env, 'sf_secret\n')).toMatchObject({ code: 0 });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ['ma', 'map'],
  ['jobs su', 'submit'],
  ['jobs wait --js', '--json'],
  ['crawl --lim', '--limit'],
  ['https://a.test/ --form', '--format'],
])('bash completes "sitefetch %s" with %s', async (typed, completed) => {
  const { stdout: script } = await sitefetch(['completion', 'bash']);
  const words = ['sitefetch', ...typed.split(' ')];
  const ask = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _sitefetch; echo "\${COMPREPLY[*]}"`;
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile('bash', ['-c', `${script}\n${ask}`], { env: { PATH } }, (_, stdout) => resolve(stdout));
  expect((await promise).trim().split(' ')).toContain(completed);
});

const line = (number: number, status = 'completed') =>
  `${JSON.stringify({ line: number, status, cursor: `c${number}` })}\n`;
const results =
  (text: string, next?: string): Reply =>
  (response) => {
    const link = next === undefined ? {} : { Link: `</r?cursor=${next}>; rel="next"` };
    response.writeHead(200, { 'X-Content-Length': String(text.length), ...link }).end(text);
  };
const silent: Reply = () => undefined;

/** A batch of two URLs, whose process is killed once the service has received so many requests. */
async function killed(folder: string, api: Awaited<ReturnType<typeof service>>, requests: number) {
  const input = join(folder, 'urls.txt');
  await writeFile(input, 'http://a.test/\n{"url": "http://b.test/", "custom_id": "b"}\n');
  const child = spawn(process.execPath, [PROGRAM, 'batch', 'run', input], {
    env: { PATH, ...api.env },
    stdio: 'ignore',
  });
  await expect.poll(() => api.requests.length, SOON).toBe(requests);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return { input, output: `${input}.results.ndjson` };
}

test('a batch that was killed while it read results resumes behind the last whole line', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
  await using api = await service(
    json({ batch_id: 'the-batch' }),
    ...[results(line(1), 'c1'), silent],
    results(line(2, 'failed')),
  );
  const { input, output } = await killed(folder.path, api, 3);
  await appendFile(output, '{"line":2,"sta');
  expect(await sitefetch(['batch', 'run', input], api.env)).toMatchObject({ code: 2 });
  expect(await sitefetch(['batch', 'run', input, '--resume'], api.env)).toMatchObject({ code: 5 });
  expect(await readFile(output, 'utf8')).toBe(line(1) + line(2, 'failed'));
  expect(api.requests.map((request) => request.line)).toEqual([
    'POST /api/v1/scraper/batches',
    'GET /api/v1/scraper/batches/the-batch/results',
    'GET /api/v1/scraper/batches/the-batch/results?cursor=c1',
    'GET /api/v1/scraper/batches/the-batch/results?cursor=c1',
  ]);
});

test('a batch that was killed during its submit is submitted again as the same one', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
  await using api = await service(silent, json({ batch_id: 'the-batch' }), results(line(1)));
  const { input } = await killed(folder.path, api, 1);
  expect(await sitefetch(['batch', 'run', input, '--resume'], api.env)).toMatchObject({ code: 0 });
  const [first, second] = api.requests;
  expect(first?.key).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).toEqual(first);
});

test('a batch whose requests have changed is not resumed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
  await using api = await service(silent);
  const { input } = await killed(folder.path, api, 1);
  await appendFile(input, 'http://c.test/\n');
  expect(await sitefetch(['batch', 'run', input, '--resume'], api.env)).toMatchObject({ code: 2 });
});

test('a batch of more than 1,000 requests is uploaded', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
  const batch = { batch_id: 'the-batch', status: 'waiting_for_upload' };
  await using api = await service(
    (response, request) =>
      json({ ...batch, upload_url: `http://${request.headers.host}/store` })(response, request),
    ...[json({}), json(batch), results(line(1))],
  );
  const input = join(folder.path, 'urls.txt');
  await writeFile(input, 'http://a.test/\n'.repeat(1_001));
  expect(await sitefetch(['batch', 'run', input], api.env)).toMatchObject({ code: 0 });
  expect(api.requests.map((request) => request.line)).toEqual([
    'POST /api/v1/scraper/batches',
    'PUT /store',
    'POST /api/v1/scraper/batches/the-batch/start',
    'GET /api/v1/scraper/batches/the-batch/results',
  ]);
  expect(api.requests[1]?.body).toBe('{"url":"http://a.test/"}\n'.repeat(1_001));
});

test('every page of a crawl is saved in a file of its own, whatever its URL', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
  const paths = ['', 'index', 'a', 'a/', '/a', 'a.txt', 'a.txt/b', 'a.txt-/b', 'A?page=1', 'A?page=2'];
  const urls = [...paths.map((path) => `https://a.test/${path}`), 'http://a.test/a'];
  const found = urls.map((url) =>
    JSON.stringify({ url, content_type: 'text/plain', body: url, cursor: url }),
  );
  await using api = await service(
    json({ crawl_id: 'the-crawl' }),
    results(`${found.join('\n')}\n`),
    json({ completed_at: 'now', counts: { page: urls.length } }),
  );
  const run = await sitefetch(['crawl', 'https://a.test/', '-o', folder.path], api.env);
  expect(run, run.stderr).toMatchObject({ code: 0 });
  const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
  const saved = entries.filter((entry) => entry.isFile() && entry.name !== 'results.ndjson');
  const texts = await Promise.all(
    saved.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  );
  expect(texts.sort()).toEqual(urls.sort());
  expect(saved.map(({ name }) => name)).toContain('a.txt');
});
