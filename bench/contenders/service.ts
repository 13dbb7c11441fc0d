import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createOrganization } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { connect } from '../../infra/admin/connect.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { startChild } from '../child.ts';
import type { Contender } from '../contender.ts';

const LOCAL_DIR = fileURLToPath(new URL('../../.cache/bench/stack', import.meta.url));
/** Limits above any measurement. */
const overrides = { credits: 1e9, rpm: 1e6, readsPerMinute: 1e6, concurrency: 1_000 };
const StackFile = z.object({ base_url: z.url(), functions: z.record(z.string(), z.string()) });

/** The whole local stack over HTTP, as `npm start` runs it. */
export async function localService(origin: string) {
  await mkdir(LOCAL_DIR, { recursive: true });
  const child = await startChild('local/main.ts', {
    args: ['--fresh'],
    environment: {
      PORT: '0',
      LOCAL_DIR,
      EGRESS_ALLOW: new URL(origin).host,
      PATH: readLocalEnv().path,
    },
    says: /^Sitefetch runs at/,
  });
  const stack = StackFile.parse(JSON.parse(await readFile(`${LOCAL_DIR}/stack.json`, 'utf8')));
  const admin = await connect({ local: true, stage: 'dev', localDir: LOCAL_DIR });
  const { api_key } = await createOrganization(admin, {
    name: 'Bench',
    plan: 'business',
    overrides,
    mode: 'test',
  });
  const headers = { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' };
  const scraper = `${stack.base_url}/api/v1/scraper`;

  async function call(url: string, body?: object): Promise<string> {
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(url, { ...post, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status}: ${text.slice(0, 300)}`);
    return text;
  }
  const scrape = (name: string, renderJs: boolean): Contender => ({
    name,
    get: async ({ path }) => ({ body: await call(scraper, { url: origin + path, render_js: renderJs }) }),
  });
  return {
    pid: child.pid,
    logs: `${LOCAL_DIR}/logs`,
    functions: stack.functions,
    plain: scrape('whole stack, plain', false),
    rendered: scrape('whole stack, rendered', true),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

export type LocalService = Awaited<ReturnType<typeof localService>>;
