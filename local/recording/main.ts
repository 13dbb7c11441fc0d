import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { readLocalEnv } from '../../shared/config.ts';
import { ADDRESS, COMMANDS } from './commands.ts';
import { type Line, recordSession } from './record-session.ts';
import { toSvg } from './to-svg.ts';

const ROOT = join(import.meta.dirname, '../..');
const SVG = join(ROOT, 'docs/first-minute.svg');

const READY = /^Ctrl-C/;

const cwd = await mkdtemp(join(tmpdir(), 'recording-'));
const localDir = join(cwd, '.local');
const port = await freePort();
const { path } = readLocalEnv();

const start = spawn('npm', ['start', '--silent'], {
  cwd: ROOT,
  env: { PATH: path, PORT: String(port), LOCAL_DIR: localDir },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
});
try {
  const started = await linesUntilReady(start);
  const { base_url: baseUrl } = JSON.parse(await readFile(join(localDir, 'stack.json'), 'utf8')) as {
    base_url: string;
  };
  const lines = [...started, ...(await recordSession(COMMANDS, { cwd, baseUrl, path }))];
  await writeFile(SVG, toSvg(lines.map(asByDefault)));
  console.log(`${String(lines.length)} lines in ${relative('.', SVG)}`);
} finally {
  const exit = once(start, 'exit');
  if (start.pid) process.kill(-start.pid, 'SIGTERM');
  await exit;
  await rm(cwd, { recursive: true, maxRetries: 10, retryDelay: 50 });
}

async function linesUntilReady({ stdout }: ChildProcess): Promise<Line[]> {
  const lines: Line[] = [{ at: performance.now(), text: 'npm start', kind: 'command' }];
  if (!stdout) return lines;
  for await (const text of createInterface({ input: stdout })) {
    lines.push({ at: performance.now(), text, kind: 'output' });
    if (READY.test(text)) return lines;
  }
  throw new Error('npm start ended early');
}

/** The recording has its own port, folder and key, and shows the usual ones. */
function asByDefault(line: Line): Line {
  const text = line.text
    .replaceAll(`127.0.0.1:${String(port)}`, new URL(ADDRESS).host)
    .replaceAll(relative(ROOT, localDir), '.local')
    .replaceAll(localDir, '.local')
    .replace(/sf_test_\w+/g, 'sf_test_…');
  return { ...line, text };
}

async function freePort(): Promise<number> {
  await using server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
