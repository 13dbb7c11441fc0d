import { readdir, readFile, readlink } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { isolates } from '../../functions/browser/launch/isolates.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { chromeFetcher } from '../../shared/adapters/web/chrome-fetcher.ts';
import { answerTo } from '../support/browser/chromium.ts';
import { say } from '../support/servers/proxy-client.ts';
import { scrapeContext } from '../support/world/scrape-context.ts';
import { saying, targetServer } from '../support/servers/target-server.ts';

const LISTENING = '0A';

/** The TCP ports on which this process listens: https://docs.kernel.org/networking/proc_net_tcp.html */
async function listeningPorts(): Promise<number[]> {
  const files = await readdir('/proc/self/fd');
  const links = await Promise.all(files.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  const rows = (await readFile('/proc/self/net/tcp', 'utf8')).trim().split('\n').slice(1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENING && links.includes(`socket:[${inode}]`))
    .map(([, address = '']) => parseInt(address.split(':')[1] ?? '', 16));
}

/** What each of them but a test's own servers says to a request for that target. */
async function saidTo(target: { host: string; port: number }, own: readonly number[]) {
  const ports = (await listeningPorts()).filter((port) => ![target.port, ...own].includes(port));
  const requests = [`CONNECT ${target.host}`, `GET http://${target.host}/`];
  const asked = ports.flatMap((port) =>
    requests.map((line) => say(`http://127.0.0.1:${port}`, `${line} HTTP/1.1\r\nHost: x\r\n\r\n`)),
  );
  return { ports: ports.length, said: (await Promise.all(asked)).join('') };
}

test('the guard that waits for the next plain scrape lets nobody in', async () => {
  const earlier = await listeningPorts();
  await using site = await targetServer((_, response) => response.end('page'));
  await using secret = await saying('HTTP/1.1 200 OK\r\n\r\nsecret');
  const getPage = chromeFetcher({ allow: [site.host, secret.host] }, () => Promise.resolve(undefined));
  const scrape = () =>
    getPage(
      { url: site.origin, renderJs: false, premiumProxy: false, timeout: 20_000 },
      scrapeContext(AbortSignal.timeout(20_000)),
    );
  await scrape();
  await expect.poll(() => saidTo(secret, [site.port, ...earlier])).toEqual({ ports: 1, said: '' });
  expect(secret.connections()).toBe(0);
  expect((await scrape()).status).toBe(200);
});

test('the guard of the browser that waits for the next scrape lets nobody in', async () => {
  await using site = await targetServer((_, response) => response.end('page'));
  await using secret = await saying('HTTP/1.1 200 OK\r\n\r\nsecret');
  await using browsers = isolates({
    chromiumDir: await unpackChromium(),
    policy: { allow: [site.host, secret.host] },
    processes: inject('processes'),
  });
  expect(await browsers.keepWarm()).toBe(true);
  const before = (await listeningPorts()).length;
  expect(await saidTo(secret, [site.port])).toEqual({ ports: before - 2, said: '' });
  expect(secret.connections()).toBe(0);
  const { html } = await answerTo(browsers, { requestId: 'test', url: site.origin, timeoutMs: 20_000 });
  expect(html).toContain('page');
});
