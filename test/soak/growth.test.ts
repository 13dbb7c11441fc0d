import { test } from 'vitest';
import { costStays } from '../support/growth-costs.ts';

/** The emulator stores these within seconds. `node bench/growth.ts` stores a million. */
const MORE = { settled: 1_000, open: 2_000, waiting: 2_000, batches: 500, organizations: 500 };

test('a status, the list of due jobs and an admission cost the same with ten and with thousands of items stored', () =>
  costStays(MORE));
