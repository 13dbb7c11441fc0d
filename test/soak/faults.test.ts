import { test } from 'vitest';
import { surviveBadNetwork } from '../support/bad-network.ts';

/** Other seeds in every run; the title of a failed test has the one to try again. */
const seeds = Array.from({ length: 20 }, () => Math.floor(Math.random() * 1e9));

test.each(seeds)('a bad network doubles nothing and loses nothing (seed %i)', surviveBadNetwork);
