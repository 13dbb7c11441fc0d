import { serviceOver } from '../world/api.ts';
import { emulatedWorld } from '../world/emulated-world.ts';
import { accountsOf } from '../world/in-memory-accounts.ts';
import { inMemoryWorld } from '../world/in-memory-world.ts';
import { page } from '../world/pages.ts';

export const URL = 'https://example.com/';
export const SCRAPE = '/api/v1/scraper';

const GRANTED = 1_000;
/** As many as the emulator can handle in time on a busy machine. */
const CONCURRENCY = 10;

/** The service over the emulators, before a web of one page. */
export async function overEmulators() {
  const emulated = await emulatedWorld();
  const memory = inMemoryWorld();
  memory.web[URL] = page('hello');
  const { jobs, results } = emulated;
  const world = { ...memory, jobs: { ...memory.jobs, ...jobs }, results, ...accountsOf(emulated) };
  return { world, service: serviceOver(world), [Symbol.asyncDispose]: () => emulated[Symbol.asyncDispose]() };
}

/** Runs plain and rendered jobs, some of a broken target; half of them are delivered twice concurrently. */
export async function mixedJobs(count: number) {
  await using it = await overEmulators();
  it.world.web['https://broken.example/'] = page('sorry', { status: 500 });
  const { key, orgId } = await it.service.organization({
    overrides: { credits: GRANTED, rpm: 1_000, concurrency: 300, readsPerMinute: 10_000 },
  });
  const submit = async (i: number) => {
    const url = i % 7 === 0 ? 'https://broken.example/' : URL;
    const { json } = await it.service.post(`${SCRAPE}/jobs`, key, { url, render_js: i % 3 === 0 });
    return String(json.job_id);
  };
  const jobs: Record<string, unknown>[] = [];
  for (let at = 0; at < count; at += CONCURRENCY) {
    const batch = await Promise.all(Array.from({ length: CONCURRENCY }, (_, i) => submit(at + i)));
    await Promise.all([it.service.work(batch), it.service.work(batch.slice(0, CONCURRENCY / 2))]);
    const ask = async (id: string) => (await it.service.ask(`${SCRAPE}/jobs/${id}`, { key })).json;
    jobs.push(...(await Promise.all(batch.map(ask))));
  }
  const organization = await it.world.organizations.find(orgId);
  if (!organization) throw new Error('The organization is gone.');
  return { jobs, granted: GRANTED, usage: await it.world.usage.read(organization, it.world.now()) };
}
