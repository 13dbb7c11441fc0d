import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cagedFunction, type CagedFunction } from '../support/cage/caged-function.ts';
import { cageHere } from '../support/cage/cage.ts';
import { KINDS, siteOfEveryKind, type Kind } from './pages-of-every-kind.ts';

const SCRAPES = 2_000;
const LOOK_EVERY = 200;
const WITHIN_MS = 60 * 60_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Resources that an environment holds between two scrapes. */
type Held = {
  files: number;
  processes: number;
  zombies: number;
  names: number;
  temporaryMb: number;
  rssMb: number;
};

/** The browser function without its limits of lifetime, and with a report of its resources. */
const source = `
  import { readdirSync, readFileSync, statfsSync } from 'node:fs';
  import { isolates } from '${ROOT}/functions/browser/launch/isolates.ts';
  import { serveUntilSpent } from '${ROOT}/functions/browser/serve.ts';
  const browsers = isolates({
    chromiumDir: '/opt/chromium', policy: { allow: process.env.EGRESS_ALLOW.split(',') }, processes: 'one',
  });
  const log = { info() {}, warn() {}, error() {} };
  await browsers.keepWarm();
  const serve = serveUntilSpent({ isolates: browsers, log, count() {} }, 
    { scrapes: Infinity, kills: Infinity, freeBytes: 268_435_456 });
  const held = () => {
    const states = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => {
      const stat = readFileSync('/proc/' + pid + '/stat', 'utf8');
      return stat.charAt(stat.lastIndexOf(')') + 2);
    });
    const { blocks, bfree, bsize } = statfsSync('/tmp');
    return {
      files: readdirSync('/proc/self/fd').length,
      processes: states.length,
      zombies: states.filter((state) => state === 'Z').length,
      names: readdirSync('/tmp').length,
      temporaryMb: (blocks - bfree) * bsize / 1e6,
      rssMb: process.memoryUsage.rss() / 1e6,
    };
  };
  export const handler = awslambda.streamifyResponse(async (event, stream) =>
    event.looks ? void stream.end(JSON.stringify(held())) : serve(event, stream));`;

const { isPossible, title } = await cageHere();

describe.skipIf(!isPossible)(title, () => {
  test(
    `${SCRAPES} scrapes of every kind in one environment cause no unexpected crash and no growth`,
    async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'one-process-'));
      const taskRoot = join(folder.path, 'task');
      await mkdir(taskRoot);
      await writeFile(join(taskRoot, 'index.mjs'), source);
      await using other = await siteOfEveryKind('http://127.0.0.1:1');
      await using site = await siteOfEveryKind(other.origin);
      await using browser = await cagedFunction({
        taskRoot,
        allow: [site.host, other.host].join(),
        readable: { [ROOT]: ROOT },
      });
      await browser.warmUp();
      const environment = browser.pids();
      const looks: Held[] = [];
      const wrong: string[] = [];
      const counts: Record<string, number> = {};
      for (let scrape = 0; scrape <= SCRAPES; scrape += 1) {
        if (scrape % LOOK_EVERY === 0) {
          looks.push(await look(browser));
          const { memoryMb, temporaryMb, peakMb, oomKills } = await browser.cage.usage();
          console.log(
            scrape,
            JSON.stringify({ ...looks.at(-1), memoryMb, inTemporaryMb: temporaryMb, peakMb, oomKills }),
          );
        }
        const kind = kindOf(scrape);
        const outcome = await outcomeOf(browser, site.origin, kind);
        counts[`${kind.path} ${outcome}`] = (counts[`${kind.path} ${outcome}`] ?? 0) + 1;
        if (!kind.outcomes.includes(outcome)) wrong.push(`${scrape} ${kind.path}: ${outcome}`);
      }
      console.log(counts);
      expect(wrong).toEqual([]);
      expect(browser.pids()).toEqual(environment);
      // The first scrapes fill caches and allocate native arenas.
      const [, first = await look(browser)] = looks;
      const last = await look(browser);
      expect(last.zombies).toBe(0);
      expect(last.processes).toBe(first.processes);
      expect(last.names).toBe(first.names);
      expect(last.files).toBeLessThanOrEqual(first.files + 4);
      expect(last.temporaryMb).toBeLessThan(first.temporaryMb + 2);
      expect(last.rssMb).toBeLessThan(first.rssMb * 1.25);
    },
    WITHIN_MS,
  );
});

async function look(browser: CagedFunction): Promise<Held> {
  return JSON.parse((await browser.invoke({ looks: true })).toString()) as Held;
}

/** All kinds in turn, the rare ones in some rounds only. */
function kindOf(scrape: number): Kind {
  const round = Math.floor(scrape / KINDS.length);
  const kind = KINDS[scrape % KINDS.length];
  return kind && round % (kind.every ?? 1) === 0 ? kind : (KINDS[0] as Kind);
}

async function outcomeOf(
  browser: CagedFunction,
  origin: string,
  { path, holds, timeoutMs }: Kind,
): Promise<string> {
  const { answer, html } = await browser.render(origin + path, timeoutMs).catch((error: unknown) => ({
    answer: { outcome: 'error', code: String(error) } as const,
    html: '',
  }));
  if (answer.outcome === 'error') return answer.code;
  return holds === undefined || html.includes(holds) ? 'page' : `page without "${holds}"`;
}
