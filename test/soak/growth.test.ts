import { test } from 'vitest';
import { costStays } from '../support/growth-costs.ts';

/** What the emulator takes in within seconds. `node bench/growth.ts` takes a million. */
const MORE = { settled: 1_000, open: 2_000, organizations: 500 };

test('status, the listing of due jobs and an admission cost with thousands stored what they cost with ten', () =>
  costStays(MORE));
