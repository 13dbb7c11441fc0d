/** `node test/support/cage/run.ts ARGUMENTS...`: `vitest run ARGUMENTS...` in a cage of a stage's size. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { unpackChromium } from '../../../infra/constructs/unpack-chromium.ts';
import { runtimeFile } from '../../../local/lambda/start-runtime.ts';
import { readLocalEnv } from '../../../shared/local-config.ts';
import { bundleApps } from '../../fixtures/settled/bundle-apps.ts';
import { cageHere, openCage } from './cage.ts';
import { STAGE_LIMITS } from './stage-limits.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
/** Start Chromium in many processes as well, which it does not do inside. */
const NEED_MANY = ['test/browser/prove-start.test.ts', 'test/browser/frames-of-other-sites.test.ts'];

const { isPossible, title } = await cageHere();
console.log(`The tests of the browser ${title}.`);
if (isPossible) process.exitCode = await inCage(process.argv.slice(2));

async function inCage(args: string[]): Promise<number> {
  const modules = `${ROOT}/node_modules`;
  const vitest = `${modules}/vitest/vitest.mjs`;
  // An environment renders one page at a time.
  const options = [
    '--configLoader=native',
    '--maxWorkers=1',
    ...NEED_MANY.map((path) => `--exclude=${path}`),
    ...args,
  ];
  // They are still writable now.
  await Promise.all([unpackChromium(), bundleApps()]);
  runtimeFile();
  await using cage = await openCage({
    ...STAGE_LIMITS,
    readable: { [ROOT]: ROOT, [modules]: await realpath(modules) },
  });
  const child = spawn(cage.wrapper, [process.execPath, vitest, 'run', ...options], {
    cwd: ROOT,
    env: {
      PATH: readLocalEnv({}).path,
      TZ: ':UTC',
      // Its cache, which is otherwise among the packages.
      XDG_DATA_HOME: '/tmp/vitest',
      VITEST_FS_MODULE_CACHE_PATH: '/tmp/vitest/modules',
    },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const { peakMb, oomKills } = await cage.usage();
  console.log(`${Math.round(peakMb)} MiB at most, ${oomKills} processes killed for want of memory.`);
  return code ?? 1;
}
