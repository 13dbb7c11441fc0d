import { inject } from 'vitest';

/** How many repetitions or cases a suite takes: some, or in `npm run test:soak` all. */
export const extent = <T>(some: T, all: T): T => (inject('extent') === 'all' ? all : some);
