import { type Web, webOf } from '../test/fixtures/crawls/web.ts';

/** Shops without rules for crawlers. */
const OPEN = ['shop-1', 'shop-3', 'shop-5', 'shop-6'];
/** The web has twice as many shops, and 500 pages of other hosts. */
const [SHARE, OTHERS] = [2, 500];

/** Four shops with so many pages in all. */
export const shopsOf = (port: number, pages: number): Web =>
  webOf({ port, pages: SHARE * pages + OTHERS, only: OPEN });
