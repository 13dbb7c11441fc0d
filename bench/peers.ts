/** `npm run bench:peers`: the service beside peers that, like it, get no wait condition. */
import { join } from 'node:path';
import { createProfile, removeProfile } from '../functions/browser/launch/create-profile.ts';
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import { killTree } from '../local/lambda/process-tree.ts';
import { readLocalEnv } from '../shared/local-config.ts';
import { startChild } from './child.ts';
import { compare } from './compare.ts';
import type { Contender } from './contender.ts';
import { localService } from './contenders/service.ts';
import { PAGES } from './pages/pages.ts';

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
  const options = JSON.stringify({ executablePath: join(chromiumDir, 'chromium'), args: FLAGS });
  const environment = { PATH: readLocalEnv().path, ...profile.env };
  const child = await startChild('bench/peers/serve.cjs', { args: [options], environment });
  const contender = (name: string): Contender => ({
    name,
    async get({ path }) {
      const answer = await fetch(
        `http://127.0.0.1:${child.line}/${name}?url=${encodeURIComponent(origin + path)}`,
      );
      return { body: await answer.text() };
    },
  });
  return {
    contenders: [contender('browserless'), contender('html-get')],
    async [Symbol.asyncDispose]() {
      await killTree(child.pid);
      await removeProfile(profile.path);
    },
  };
}
