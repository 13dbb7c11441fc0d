import { expect, test } from 'vitest';
import { readEnv, readLocalEnv } from '../../shared/config.ts';

test('a bad environment stops the function and names every culprit', () => {
  expect(() => readEnv('worker', { JOBS_QUEUE_URL: 'nowhere' })).toThrow(
    /ACCOUNTS_TABLE.*JOBS_TABLE.*RESULTS_BUCKET.*JOBS_QUEUE_URL.*BROWSER_FUNCTION/,
  );
});

test('a function gets what it asked for and nothing else', () => {
  const config = readEnv('browser', {
    ACCOUNTS_TABLE: 'secret',
    BROWSER_PROCESSES: 'one',
    API_HOST: 'Api.example.com,scrape.example.com.',
    EGRESS_ALLOW: 'localhost:3000,127.0.0.1:4000',
  });
  expect(config).toEqual({
    AWS_LAMBDA_FUNCTION_NAME: 'local',
    CHROMIUM_DIR: '/opt/chromium',
    BROWSER_PROCESSES: 'one',
    API_HOST: ['api.example.com', 'scrape.example.com'],
    EGRESS_ALLOW: ['localhost:3000', '127.0.0.1:4000'],
  });
});

test('a target to allow has a host and a port', () => {
  expect(() => readEnv('browser', { EGRESS_ALLOW: 'localhost' })).toThrow('EGRESS_ALLOW');
});

test.each([
  'http://user:pass@proxy.example.com:8000',
  'https://customer[-cc-{country}]-sessid-{session}:pass@pr.example.com:7777/',
  'socks5://[2001:db8::1]:1080',
])('the premium upstream may be %s', (url) => {
  expect(readLocalEnv({ PREMIUM_PROXY_URL: url }).premiumProxyUrl).toBe(url);
});

test.each(['foo', 'proxy.example.com:8000', 'ftp://a:1', 'http://'])(
  'npm start says in one line that the premium upstream is not %s',
  (url) => {
    expect(() => readLocalEnv({ PREMIUM_PROXY_URL: url })).toThrow(
      /^The environment of "npm start" is not usable: PREMIUM_PROXY_URL: expected http:.*$/,
    );
  },
);
