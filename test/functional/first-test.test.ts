import { expect, test } from 'vitest';
import {
  JOBS,
  key,
  newServiceEachTest,
  service,
  shown,
  submitJob,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const url = 'https://shop.example/';
newServiceEachTest({ overrides: { credits: 10 } });

test('a job whose target has failed is delivered, and costs nothing', async () => {
  world.web[url] = page('Down for maintenance', { status: 503 });
  const id = await submitJob({ url });
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'completed', credits_used: 0 });
  const result = await service.ask(`${JOBS}/${id}/result`, { key });
  expect([result.text, result.headers['X-Credits-Remaining']]).toEqual(['Down for maintenance', '10']);
});
