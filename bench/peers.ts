/** `npm run bench:peers`: the service beside peers that, like it, get no wait condition. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProfile, removeProfile } from '../functions/browser/launch/create-profile.ts';
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import { killTree } from '../local/lambda/process-tree.ts';
import { readLocalEnv } from '../shared/config.ts';
import { startChild } from './child.ts';
import { compare } from './compare.ts';
import type { Contender } from './contender.ts';
import { localService } from './contenders/service.ts';
import { PAGES } from './pages/pages.ts';

const SERVE = fileURLToPath(new URL('peers/serve.cjs', import.meta.url));
const GOAL = 4;
const [ROUNDS, WARM_UP] = [8, 2];

/** This build of Chromium has no zygote and no GPU process. */
const FLAGS = [
  ...['--headless', '--no-sandbox', '--no-zygote', '--disable-gpu', '--in-process-gpu'],
  ...['--disable-dev-shm-usage', '--enable-features=NetworkServiceInProcess2'],
];

await using site = await startChild('bench/pages/site.ts');
const origin = `http://127.0.0.1:${site.line}`;
await using service = await localService(origin);
await using peers = await startPeers();
const contenders = [service.rendered, ...peers.contenders];
for (const page of [PAGES.spa, PAGES.resources]) {
  const without = [site.pid];
  const rows = await compare({
    ...{ contenders, against: service.rendered, page, without },
    ...{ rounds: ROUNDS, warmUp: WARM_UP, isCalmed: true },
  });
  console.table(rows, ['name', 'page', 'p50_ms', 'p95_ms', 'ratio']);
  if (rows.some(({ name, ratio }) => name !== service.rendered.name && ratio < GOAL)) process.exitCode = 1;
}

async function startPeers() {
  const chromiumDir = await unpackChromium();
  const profile = await createProfile(chromiumDir);
  const port = await freePort();
  const options = JSON.stringify({ executablePath: join(chromiumDir, 'chromium'), args: FLAGS, port });
  const child = spawn(process.execPath, [SERVE, options], {
    env: { PATH: readLocalEnv().path, ...profile.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const contender = (name: string): Contender => ({
    name,
    async get({ path }) {
      const answer = await fetch(`http://127.0.0.1:${port}/${name}?url=${encodeURIComponent(origin + path)}`);
      return { body: await answer.text() };
    },
  });
  return {
    contenders: [contender('browserless'), contender('html-get')],
    async [Symbol.asyncDispose]() {
      await killTree(Number(child.pid));
      await removeProfile(profile.path);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
