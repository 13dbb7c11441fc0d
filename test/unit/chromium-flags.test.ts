import { expect, test } from 'vitest';
import { chromiumFlags } from '../../functions/browser/isolate/chromium-flags.ts';

const flags = chromiumFlags('http://127.0.0.1:1234', '/tmp/profile', true);

test.each([
  '--proxy-server=http://127.0.0.1:1234',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
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
  '--user-data-dir=/tmp/profile',
])('Chromium is started with %s', (flag) => expect(flags).toContain(flag));

test.each([
  'disable-web-security',
  'allow-running-insecure-content',
  'disable-site-isolation-trials',
  'single-process',
  'remote-debugging',
  'ignore-certificate-errors',
  'allow-file-access',
  'no-proxy-server',
])('nothing like --%s is among the flags', (name) =>
  expect(flags.filter((flag) => flag.includes(name))).toEqual([]),
);
