import { test } from 'vitest';
import { costStays } from '../support/world/growth-costs.ts';

/** The emulator stores these within seconds. */
const MORE = { settled: 1_000, open: 2_000, waiting: 2_000, batches: 500, chunks: 1_000, organizations: 500 };

test('a status, a list of what is due or waits and an admission cost the same with ten and with thousands stored', () =>
  costStays(MORE));
