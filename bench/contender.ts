import type { BenchPage } from './pages/pages.ts';

/** `end` is what the contender does after its response. */
export type Got = { body: string; end?: () => Promise<void> };

export type Contender = { name: string; get: (page: BenchPage) => Promise<Got> };

/** Throws if the page is incomplete. */
export async function getWhole({ name, get }: Contender, page: BenchPage): Promise<Got> {
  const got = await get(page);
  if (!got.body.includes(page.holds))
    throw new Error(`${name}: ${page.path} is not whole: ${got.body.slice(0, 300)}`);
  return got;
}
