import { test } from 'vitest';
import { surviveBadNetwork } from '../support/life/bad-network.ts';

/** New seeds in every run; the title of a failed test has the seed to reproduce it. */
const seeds = Array.from({ length: 20 }, () => Math.floor(Math.random() * 1e9));

test.each(seeds)('a bad network neither duplicates nor loses anything (seed %i)', (seed) =>
  surviveBadNetwork(seed, 20),
);
