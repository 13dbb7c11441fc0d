import { expect, test } from 'vitest';
import type { MappedUrl, MapSummary } from '../../shared/contract/crawls/map.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';

const { client, demoSite } = await sharedStack();

test('a map of the demo site has its pages, and says what it cost', async () => {
  const answer = await client.post('/api/v1/map', { url: demoSite });
  expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([200, '1']);
  const { urls, total, complete } = (await answer.json()) as MapSummary & { urls: MappedUrl[] };
  expect(urls).toContainEqual(expect.objectContaining({ url: `${demoSite}/js`, source: 'page' }));
  expect([total, complete]).toEqual([urls.length, true]);
});

test('as lines, the same map ends with its summary', async () => {
  const answer = await client.post('/api/v1/map', { url: demoSite }, { Accept: 'application/x-ndjson' });
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const lines = (await answer.text()).split('\n').filter(Boolean);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ total: lines.length - 1, complete: true });
  expect(answer.headers.get('x-credits-used')).toBe('1');
});
