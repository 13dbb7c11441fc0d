import { expect, test } from 'vitest';
import { readEnv } from '../../shared/config.ts';

test('a bad environment stops the function and names every culprit', () => {
  expect(() => readEnv('worker', { JOBS_QUEUE_URL: 'nowhere' })).toThrow(
    /ACCOUNTS_TABLE.*JOBS_TABLE.*RESULTS_BUCKET.*JOBS_QUEUE_URL.*BROWSER_FUNCTION/,
  );
});

test('a function gets what it asked for and nothing else', () => {
  const config = readEnv('browser', {
    ACCOUNTS_TABLE: 'secret',
    API_HOST: 'api.example.com,scrape.example.com',
    EGRESS_ALLOW: 'localhost:3000,127.0.0.1:4000',
  });
  expect(config).toEqual({
    AWS_LAMBDA_FUNCTION_NAME: 'local',
    CHROMIUM_DIR: '/opt/chromium',
    API_HOST: ['api.example.com', 'scrape.example.com'],
    EGRESS_ALLOW: ['localhost:3000', '127.0.0.1:4000'],
  });
});

test('a target to allow has a host and a port', () => {
  expect(() => readEnv('browser', { EGRESS_ALLOW: 'localhost' })).toThrow('EGRESS_ALLOW');
});
