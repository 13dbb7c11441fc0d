import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { toAppError } from '../../shared/errors.ts';
import { openGuard } from '../../shared/egress/guard.ts';
import { staticFetch } from '../../shared/egress/fetch/static-fetch.ts';
import { say } from '../support/servers/proxy-client.ts';
import { canary, rawServer, saying, targetServer, tlsServer } from '../support/servers/target-server.ts';
import { CREDENTIALS, PASSWORD, vendor } from '../support/servers/vendor.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');

/** A SOCKS5 proxy with a password, RFC 1928 and 1929. */
async function socksVendor() {
  const asked: string[] = [];
  const serve = async (client: Socket) => {
    const next = async () => ((await once(client, 'data')) as [Buffer])[0];
    await next();
    client.write(Buffer.from([5, 2]));
    const login = await next();
    const isKnown = login.toString('utf8', 3 + login.readUInt8(1)) === PASSWORD;
    client.write(Buffer.from([1, isKnown ? 0 : 1]));
    if (!isKnown) return void client.end();
    const wanted = await next();
    const host =
      wanted[3] === 1 ? wanted.subarray(4, 8).join('.') : wanted.toString('utf8', 5, 5 + wanted.readUInt8(4));
    const port = wanted.readUInt16BE(wanted.length - 2);
    asked.push(`${host}:${port}`);
    const target = connect(port, '127.0.0.1', () => {
      client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
  };
  const server = await rawServer((client) => void serve(client).catch(() => client.destroy()));
  return { ...server, asked };
}

/** Fetches through the upstream; the outcome is the page's text or the error. */
async function through(upstreamUrl: string, url: string, allow: string[], timeoutMs = 5_000) {
  await using guard = await openGuard({ allow, upstreamUrl });
  return await staticFetch({ url }, guard, AbortSignal.timeout(timeoutMs)).then(
    ({ body }) => Buffer.from(body).toString(),
    toAppError,
  );
}

test('a page is fetched through an http proxy, which receives the host name', async () => {
  await using target = await targetServer((_, response) => response.end('page'));
  await using proxy = await vendor();
  const name = `localhost:${target.port}`;
  expect(await through(`http://${CREDENTIALS}@${proxy.host}`, `http://${name}/`, [name])).toBe('page');
  expect(proxy.asked).toEqual([name]);
});

test('a page is fetched through a socks5 proxy, which receives the host name', async () => {
  await using target = await targetServer((_, response) => response.end('page'));
  await using proxy = await socksVendor();
  const name = `localhost:${target.port}`;
  expect(await through(`socks5://${CREDENTIALS}@${proxy.host}`, `http://${name}/`, [name])).toBe('page');
  expect(proxy.asked).toEqual([name]);
});

test('bytes in the same packet as the response of the proxy are not lost', async () => {
  await using proxy = await saying('HTTP/1.1 200 OK\r\n\r\n220 welcome');
  await using guard = await openGuard({ allow: ['127.0.0.1:1'], upstreamUrl: `http://${proxy.host}` });
  expect(await say(guard.url, 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n')).toContain('220 welcome');
});

test('an error page of the target is a page through a proxy too', async () => {
  await using target = await targetServer((_, response) => response.writeHead(502).end('mine'));
  await using proxy = await vendor();
  expect(await through(`http://${CREDENTIALS}@${proxy.host}`, target.origin, [target.host])).toBe('mine');
});

test.each(['http://10.0.0.1/', 'https://127.0.0.1/', 'http://localhost/', 'http://127.0.0.1:22/'])(
  '%s is refused before the proxy is contacted',
  async (url) => {
    await using proxy = await canary();
    expect(await through(`http://${CREDENTIALS}@${proxy.host}`, url, [])).toMatchObject({
      code: 'url_not_allowed',
    });
    expect(proxy.connections()).toBe(0);
  },
);

test.each(['http', 'socks5'])(
  'wrong credentials for the %s proxy are proxy_failed, and are not revealed',
  async (scheme) => {
    await using target = await targetServer((_, response) => response.end('page'));
    await using proxy = await (scheme === 'http' ? vendor() : socksVendor());
    const error = await through(`${scheme}://user-country-de:wrong-secret@${proxy.host}`, target.origin, [
      target.host,
    ]);
    expect(error).toMatchObject({ code: 'proxy_failed' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
    expect(target.connections()).toBe(0);
  },
);

test.each([
  ['responds with 407', 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 3\r\n\r\nno!'],
  ['responds with 502', 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nno!'],
  ['responds with 403', 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  ['does not speak HTTP', 'SSH-2.0\r\n'],
  ['hangs up', ''],
])('a proxy that %s is proxy_failed, without a direct connection', async (_, answer) => {
  await using target = await targetServer((_, response) => response.end('page'));
  await using proxy = await saying(answer);
  for (const scheme of ['http', 'socks5']) {
    const outcome = await through(`${scheme}://${CREDENTIALS}@${proxy.host}`, target.origin, [target.host]);
    expect(outcome).toMatchObject({ code: 'proxy_failed' });
  }
  expect(target.connections()).toBe(0);
});

test('an unreachable proxy is proxy_failed', async () => {
  const gone = await canary();
  await gone[Symbol.asyncDispose]();
  expect(await through(`http://${gone.host}`, 'http://127.0.0.1:1/', ['127.0.0.1:1'])).toMatchObject({
    code: 'proxy_failed',
  });
});

test('an https proxy with an untrusted certificate gets no credentials', async () => {
  let heard = '';
  await using proxy = await tlsServer((request) => (heard = JSON.stringify(request.headers)));
  const outcome = await through(`https://${CREDENTIALS}@${proxy.host}`, 'http://127.0.0.1:1/', [
    '127.0.0.1:1',
  ]);
  expect(outcome).toMatchObject({ code: 'proxy_failed' });
  expect(heard).toBe('');
});

test('a proxy that never responds is a timeout at the deadline', async () => {
  await using proxy = await rawServer(() => undefined);
  const outcome = await through(`http://${proxy.host}`, 'http://127.0.0.1:1/', ['127.0.0.1:1'], 300);
  expect(outcome).toMatchObject({ code: 'timeout' });
});

test('a page is fetched through an https proxy with a trusted certificate', async () => {
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, fixture('ca.pem')]);
  try {
    await using target = await targetServer((_, response) => response.end('page'));
    const named: string[] = [];
    await using proxy = await vendor({
      key: fixture('key.pem'),
      cert: fixture('cert.pem'),
      SNICallback: (name, done) => {
        named.push(name);
        done(null);
      },
    });
    const upstreamUrl = `https://${CREDENTIALS}@localhost:${proxy.port}`;
    expect(await through(upstreamUrl, target.origin, [target.host])).toBe('page');
    expect(proxy.asked).toEqual([target.host]);
    expect(named).toEqual(['localhost']);
  } finally {
    setDefaultCACertificates(known);
  }
});

test('a guard opened without an upstream uses the upstream of its scrape', async () => {
  await using target = await targetServer((_, response) => response.end('page'));
  await using proxy = await vendor();
  await using guard = await openGuard({ allow: [target.host] });
  guard.goThrough(`http://${CREDENTIALS}@${proxy.host}`);
  await staticFetch({ url: target.origin }, guard, AbortSignal.timeout(5_000));
  expect(proxy.asked).toEqual([target.host]);
});
