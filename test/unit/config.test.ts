import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readEnv } from '../../shared/config.ts';
import { HELP } from '../../local/help.ts';
import { readLocalEnv, readStartEnv, startVariables } from '../../shared/local-config.ts';
import { createApiKey } from '../../shared/domain/accounts/api-key.ts';
import { parseSignUpPolicy } from '../../shared/domain/people/sign-up-policy.ts';

test('a bad environment stops the function and names every bad variable', () => {
  expect(() => readEnv('worker', { JOBS_QUEUE_URL: 'nowhere' })).toThrow(
    /ACCOUNTS_TABLE.*JOBS_TABLE.*RESULTS_BUCKET.*JOBS_QUEUE_URL.*BROWSER_FUNCTION/,
  );
});

test('a function reads the variables in its schema only', () => {
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

test.each(['', 'anyone', 'Open', 'domains:', 'domains:,'])('SIGN_UP rejects %j', (policy) => {
  expect(() => readEnv('dashboard', { SIGN_UP: policy })).toThrow(
    'SIGN_UP: expected open, invite, closed or',
  );
});

test.each([
  ['open', 'open'],
  ['domains:A.example,b.example', { domains: ['a.example', 'b.example'] }],
])('SIGN_UP accepts %s', (text, policy) => {
  expect(parseSignUpPolicy(text)).toEqual(policy);
  expect(() => readEnv('dashboard', { SIGN_UP: text })).not.toThrow('SIGN_UP');
});

test('an optional variable may be empty, a required one may not', () => {
  const required = { BROWSER_PROCESSES: 'one', API_HOST: 'api.example.com' };
  expect(readEnv('browser', { ...required, CHROMIUM_DIR: '', EGRESS_ALLOW: '' })).toEqual(
    readEnv('browser', required),
  );
  const url = { API_URL: 'https://api.example.com' };
  expect(readEnv('meta', { ...url, DEMO_PAGE: '' })).toEqual(url);
  expect(() => readEnv('browser', { ...required, API_HOST: '' })).toThrow('API_HOST');
});

test.each(['0.0.0.0', 'docker0', '::1'])('npm start rejects %s as EMULATORS_HOST', (address) => {
  expect(() => readStartEnv({ EMULATORS_HOST: address })).toThrow('EMULATORS_HOST');
});

test.each(['abc', '-1', '1.5', '65536'])('npm start names the setting that is no port: PORT=%s', (PORT) => {
  const rule = 'expected a port, a whole number from 0 to 65535';
  expect(() => readStartEnv({ PORT })).toThrow(
    new Error(`The environment of "npm start" is not usable: PORT: ${rule}`),
  );
  expect(() => readStartEnv({ DASHBOARD_PORT: PORT })).toThrow(`DASHBOARD_PORT: ${rule}`);
});

test('npm start -- --help names every setting', () => {
  const named = [...HELP.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name);
  expect([...named, 'PATH'].sort()).toEqual([...startVariables].sort());
});

test('EGRESS_ALLOW requires a host and a port', () => {
  expect(() => readEnv('browser', { EGRESS_ALLOW: 'localhost' })).toThrow('EGRESS_ALLOW');
});

test.each([
  'http://user:pass@proxy.example.com:8000',
  'https://customer[-cc-{country}]-sessid-{session}:pass@pr.example.com:7777/',
  'socks5://[2001:db8::1]:1080',
])('PREMIUM_PROXY_URL accepts %s', (url) => {
  expect(readStartEnv({ PREMIUM_PROXY_URL: url }).premiumProxyUrl).toBe(url);
});

test.each(['foo', 'proxy.example.com:8000', 'ftp://a:1', 'http://'])(
  'npm start rejects %s as PREMIUM_PROXY_URL in one line',
  (url) => {
    expect(() => readStartEnv({ PREMIUM_PROXY_URL: url })).toThrow(
      /^The environment of "npm start" is not usable: PREMIUM_PROXY_URL: expected http:.*$/,
    );
  },
);

test.each([
  ['localhost:8000,127.0.0.1:9000', ['localhost:8000', '127.0.0.1:9000']],
  [' localhost:8000, 10.0.0.7:80  [::1]:9 ', ['localhost:8000', '10.0.0.7:80', '[::1]:9']],
  ['LocalHost:8000,127.1:9000,::1:9', ['localhost:8000', '127.0.0.1:9000', '[::1]:9']],
  ['', []],
])('EGRESS_ALLOW accepts the list %j', (EGRESS_ALLOW, targets) => {
  expect(readStartEnv({ EGRESS_ALLOW }).egressAllow).toEqual(targets);
});

test.each([
  ['http://localhost:8000', 'leave out the scheme and the path, as in localhost:8000'],
  ['localhost', 'expected host:port, as in localhost:8000, but got "localhost"'],
  ['localhost:99999', 'expected host:port'],
  ['ok:1,a b@c:80', 'expected host:port'],
])('EGRESS_ALLOW refuses %j with a reason', (EGRESS_ALLOW, message) => {
  expect(() => readStartEnv({ EGRESS_ALLOW })).toThrow(message);
});

test.each(['0.0.0.0', '127.0.0.1', '192.168.1.4', '::', 'localhost'])('npm start listens on %s', (HOST) => {
  expect(readStartEnv({ HOST }).host).toBe(HOST);
});

test('npm start refuses the machine name that some shells export as HOST', () => {
  expect(() => readStartEnv({ HOST: 'laptop' })).toThrow('HOST: expected an IP address, such as 0.0.0.0');
});

test('npm start accepts only a valid key of this service as API_KEY', () => {
  const { text } = createApiKey('test', randomBytes);
  expect(readStartEnv({ API_KEY: text }).apiKey).toBe(text);
  expect(() => readStartEnv({ API_KEY: `${text}x` })).toThrow(/API_KEY: expected a key that npm start/);
});

test('npm start validates its variables, but other programs ignore a foreign API_KEY', () => {
  expect(readLocalEnv({ API_KEY: 'other', HOST: 'laptop', LOCAL_DIR: 'here' }).localDir).toBe('here');
});

test('the name for robots.txt is one word, and only one value lets callers ignore it', () => {
  expect(() => readEnv('scraper', { ROBOTS_TOKEN: 'My Bot/1.0', ROBOTS_IGNORE: 'true' })).toThrow(
    /ROBOTS_TOKEN: expected letters, _ and -.*ROBOTS_IGNORE/,
  );
  expect(() => readEnv('scraper', { ROBOTS_TOKEN: 'My-Bot', ROBOTS_IGNORE: 'allowed' })).not.toThrow(
    'ROBOTS',
  );
});
