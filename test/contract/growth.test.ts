import { test } from 'vitest';
import { costStays } from '../support/world/growth-costs.ts';

/** Enough to reveal a scan. The soak takes twenty times as many. */
const MORE = { settled: 50, open: 100, waiting: 50, batches: 20, chunks: 50, organizations: 25 };

test(
  'a status, a list of what is due or waits and an admission cost the same with ten and with a hundred stored',
  { timeout: 60_000 },
  () => costStays(MORE),
);
