import { test } from 'vitest';
import { costStays } from '../support/growth-costs.ts';

/** Enough to reveal a scan. The soak takes ten times as many, `node bench/growth.ts` a million. */
const MORE = { settled: 100, open: 200, organizations: 50 };

test(
  'a status, the list of due jobs and an admission cost the same with ten and with hundreds of items stored',
  { timeout: 60_000 },
  () => costStays(MORE),
);
