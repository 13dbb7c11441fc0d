import { expect, test } from 'vitest';
import { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { rangeOf } from '../../shared/http/conditions.ts';
import { explainIssues } from '../../shared/request/explain-issues.ts';
import { requestSchema } from '../../shared/request/field-schemas.ts';
import { newService } from '../support/world/api.ts';

const SCRAPE = '/api/v1/scraper';
const LONG = 'x'.repeat(200_000);
const validators = { ETag: '"a"', 'Last-Modified': 'Sat, 21 Nov 2026 12:00:00 GMT' };

/** CPU milliseconds of this process, so that other processes do not count. */
function cpuOf(work: () => void, times: number): number {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test.each([
  ['an unknown field', { [LONG]: 1 }],
  ['an unknown field beside others', { url: 'https://example.com/', [LONG]: 1 }],
  ['a field given twice', `{"${LONG}":1,"${LONG}":2}`.replaceAll(LONG, LONG.slice(0, 100_000))],
  ['a custom header', { url: 'https://example.com/', headers: { [LONG]: 1 } }],
])('the error for %s with a name of 200,000 letters is short', async (_, body) => {
  const { service, key } = await newService();
  const answer = await service.post(SCRAPE, key, body);
  expect(answer.status).toBe(400);
  expect(answer.json.message).toContain('x'.repeat(64));
  expect(answer.text.length).toBeLessThan(1_000);
});

test('the error for a parameter with a long name is short', async () => {
  const { service, key } = await newService();
  for (const method of ['GET', 'POST']) {
    const answer = await service.ask(`${SCRAPE}?${LONG}=1&${LONG}=2`, { method, key });
    expect([answer.status, answer.text.length < 1_000]).toEqual([400, true]);
  }
});

test('a long unknown name is not compared with the field names', () => {
  const { error } = ScrapeRequest.safeParse({ [LONG]: 1 });
  const reading = { input: {}, source: 'body', schema: requestSchema } as const;
  const explain = () => void explainIssues(error?.issues ?? [], reading);
  explain();
  // A comparison with each field would take 40 ms each time.
  expect(cpuOf(explain, 20)).toBeLessThan(300);
});

test.each([
  ['digits', `bytes=${'1'.repeat(14_000)}`],
  ['digits without a number', `bytes=${'1'.repeat(14_000)}-x`],
  ['spaces', `bytes=${' '.repeat(14_000)}-1`],
  ['parts', `bytes=${'1-2,'.repeat(3_500)}1-2`],
])('a Range of thousands of %s is parsed in linear time', (_, range) => {
  const read = () => void rangeOf({ range }, validators, 1_000);
  read();
  // Quadratic parsing would take 200 ms each time.
  expect(cpuOf(read, 10)).toBeLessThan(400);
});
