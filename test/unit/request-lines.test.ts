import { expect, test } from 'vitest';
import { requestLines } from '../../local/request-lines.ts';

function reported(...written: object[]): string[] {
  const lines: string[] = [];
  const { began, wrote } = requestLines((line) => lines.push(line));
  began('g1', 'POST /api/v1/scraper');
  for (const line of written) wrote(JSON.stringify(line));
  return lines;
}

const request = { message: 'request', gateway_request_id: 'g1', ms: 812, status: 200 };
const job = { message: 'job', job_id: 'j1', url: 'http://example.com/a', ms: 90 };

test('the line of a request has its operation, target host, status, credits and time', () => {
  expect(reported({ ...request, url: 'https://example.com:8443/secret/path', credits: 5 })).toEqual([
    'POST /api/v1/scraper  example.com:8443  200  5 credits  812 ms',
  ]);
});

test('the line of a failed request has its error code', () => {
  expect(reported({ ...request, status: 400, code: 'url_not_allowed' })).toEqual([
    'POST /api/v1/scraper  400  url_not_allowed  0 credits  812 ms',
  ]);
});

test('a request is reported once, and other lines are not', () => {
  const other = { ...request, gateway_request_id: 'unknown' };
  expect(reported(request, request, other, { message: 'render', ms: 1 }, { message: 'sweep' })).toHaveLength(
    1,
  );
});

test('a job is reported when it ends, and when an attempt fails', () => {
  const waits = { ...job, retry_after: 3 };
  const fails = { ...job, code: 'timeout', retry_after: 10 };
  const seenAgain = { ...job, status: 'completed' };
  expect(
    reported(waits, fails, { ...job, status: 'completed', credits: 1 }, seenAgain, {
      ...job,
      status: 'failed',
      code: 'tls_failed',
      credits: 0,
    }),
  ).toEqual([
    'job j1  example.com  timeout  next attempt in 10 s  90 ms',
    'job j1  example.com  completed  1 credit  90 ms',
    'job j1  example.com  failed  tls_failed  0 credits  90 ms',
  ]);
});

test('lines that are not JSON are written to the log files only', () => {
  const lines: string[] = [];
  requestLines((line) => lines.push(line)).wrote('INFO "message":"request" {');
  expect(lines).toEqual([]);
});
