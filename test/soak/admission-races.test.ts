import { expect, test } from 'vitest';
import { mixedJobs } from '../support/life/mixed-jobs.ts';

test('three hundred jobs of mixed cost use exactly the credits that they report', async () => {
  const { jobs, usage, granted } = await mixedJobs(300);
  expect(jobs.filter(({ status }) => status !== 'completed')).toEqual([]);
  const charged = jobs.reduce((sum, { credits_used: credits }) => sum + Number(credits), 0);
  expect(charged).toBeGreaterThan(400);
  expect(usage).toMatchObject({
    credits: { used: charged, available: granted - charged },
    slots: { inUse: {} },
  });
});
