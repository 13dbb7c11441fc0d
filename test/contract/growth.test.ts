import { test } from 'vitest';
import { costStays } from '../support/growth-costs.ts';

/** Enough for a scan to show. The soak takes ten times as many, `node bench/growth.ts` a million. */
const MORE = { settled: 100, open: 200, organizations: 50 };

test(
  'status, the listing of due jobs and an admission cost with hundreds stored what they cost with ten',
  { timeout: 60_000 },
  () => costStays(MORE),
);
