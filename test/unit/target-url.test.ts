import { expect, test } from 'vitest';
import { parseTargetUrl } from '../../shared/domain/scrape/target/target-url.ts';
import { AppError } from '../../shared/errors.ts';

function refusal(url: string, allow: string[]): string {
  try {
    parseTargetUrl(url, { allow });
  } catch (error) {
    return error instanceof AppError && error.code === 'url_not_allowed' ? error.message : String(error);
  }
  return 'allowed';
}

const LOCAL = ['127.0.0.1:4000'];

test.each([
  ['http://localhost:8000/a?b', 'EGRESS_ALLOW=localhost:8000.'],
  ['http://127.1/', 'EGRESS_ALLOW=127.0.0.1:80.'],
  ['https://[::1]/', 'EGRESS_ALLOW=[::1]:443.'],
])('the local error for %s names the setting that allows it', (url, advice) => {
  expect(refusal(url, LOCAL)).toContain(advice);
});

test.each(['ftp://localhost/', 'http://user:pass@localhost/'])(
  '%s is always refused, so its error names no setting',
  (url) => {
    expect(refusal(url, LOCAL)).not.toContain('EGRESS_ALLOW');
  },
);

test('the error of a deployed service names no local setting', () => {
  expect(refusal('http://localhost:8000/', [])).not.toContain('EGRESS_ALLOW');
  expect(refusal('http://localhost:8000/', [])).toContain('may not be scraped');
});
