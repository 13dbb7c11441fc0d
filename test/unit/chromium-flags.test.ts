import { expect, test } from 'vitest';
import { chromiumFlags } from '../../functions/browser/launch/chromium-flags.ts';

const flagsIn = (processes: 'one' | 'many') =>
  chromiumFlags({ proxyUrl: 'http://127.0.0.1:1234', profile: '/tmp/profile', processes });
const [one, many] = [flagsIn('one'), flagsIn('many')];

test.each([
  '--proxy-server=http://127.0.0.1:1234',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-features=WebRtcHideLocalIpsWithMdns',
  '--disable-quic',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-breakpad',
  '--disable-sync',
  '--disable-extensions',
  '--block-new-web-contents',
  '--incognito',
  '--user-data-dir=/tmp/profile',
])('Chromium is started with %s, in one process and in many', (flag) => {
  expect(one).toContain(flag);
  expect(many).toContain(flag);
});

test.each([
  'disable-web-security',
  'allow-running-insecure-content',
  'disable-site-isolation-trials',
  'remote-debugging',
  'ignore-certificate-errors',
  'allow-file-access',
  'no-proxy-server',
])('no flag contains --%s', (name) =>
  expect([...one, ...many].filter((flag) => flag.includes(name))).toEqual([]),
);

test('the two lists differ in --single-process alone', () => {
  expect(one.filter((flag) => !many.includes(flag))).toEqual(['--single-process']);
  expect(many.filter((flag) => !one.includes(flag))).toEqual([]);
});
