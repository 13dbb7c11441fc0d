import { inject } from 'vitest';

/** How many repetitions or cases a suite takes: some, or in `npm run test:soak` all. */
export const extent = <A, B = A>(some: A, all: B): A | B => (inject('extent') === 'all' ? all : some);
