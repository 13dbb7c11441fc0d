import type { BenchPage } from './pages/pages.ts';

/** A page as a contender got it; `end` is what it does afterwards, which nobody waits for. */
export type Got = { body: string; end?: () => Promise<void> };

/** A way of getting pages. */
export type Contender = { name: string; get: (page: BenchPage) => Promise<Got> };

/** Gets a page, and throws if it is not whole. */
export async function getWhole({ name, get }: Contender, page: BenchPage): Promise<Got> {
  const got = await get(page);
  if (!got.body.includes(page.holds))
    throw new Error(`${name}: ${page.path} is not whole: ${got.body.slice(0, 300)}`);
  return got;
}
