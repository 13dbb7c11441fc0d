import type { LocalService } from './contenders/service.ts';
import { type BenchPage, PAGES } from './pages/pages.ts';
import { rounded } from './compare.ts';

const DEADLINE_MS = 90_000;
/** More than the workers take at once, so that they never wait for one. */
const CLIENTS = 30;

/** Jobs a second from the first submit to the last one done. */
export async function jobsPerSecond(service: LocalService, counts: { plain: number; rendered: number }) {
  return {
    plain: await rate(service, PAGES.medium, false, counts.plain),
    rendered: await rate(service, PAGES.spa, true, counts.rendered),
  };
}

async function rate(
  { job }: LocalService,
  page: BenchPage,
  renderJs: boolean,
  count: number,
): Promise<number> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const startedAt = performance.now();
  let left = count;
  const client = async () => {
    while (left-- > 0) await job(page, renderJs, signal);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return rounded((count / (performance.now() - startedAt)) * 1_000);
}
