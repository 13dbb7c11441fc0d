import { expect, test } from 'vitest';
import { chromeFetcher } from '../../shared/adapters/web/chrome-fetcher.ts';
import { scrapeContext } from '../support/world/scrape-context.ts';
import { rawServer, targetServer } from '../support/servers/target-server.ts';

const MINUTE_MS = 60_000;

function fetcherTo(host: string) {
  const fetchPage = chromeFetcher({ allow: [host] }, () => Promise.resolve(undefined));
  const page = { renderJs: false, premiumProxy: false, timeout: MINUTE_MS };
  return async (url: string, connections?: AsyncDisposableStack) => {
    const context = scrapeContext(AbortSignal.timeout(MINUTE_MS));
    const { body } = await fetchPage({ ...page, url }, { ...context, ...(connections && { connections }) });
    return Buffer.from(body).toString();
  };
}

/** A site whose pages say how many connections it has seen. It ends none of them. */
async function countingSite() {
  let seen = 0;
  const open = new Set<unknown>();
  const site = await rawServer((socket) => {
    seen += 1;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('data', (request: Buffer) => {
      const text = `${seen} ${/\ncookie/i.test(request.toString()) ? 'a cookie' : 'no cookie'}`;
      socket.write(`HTTP/1.1 200 OK\r\nSet-Cookie: seen=1\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    });
  });
  return { ...site, open };
}

test('requests of the same work share a connection, but no cookies', async () => {
  await using site = await countingSite();
  const fetch = fetcherTo(site.host);
  {
    await using work = new AsyncDisposableStack();
    for (let n = 0; n < 3; n += 1) expect(await fetch(site.origin, work)).toBe('1 no cookie');
    expect(await fetch(site.origin)).toBe('2 no cookie');
    await using other = new AsyncDisposableStack();
    expect(await fetch(site.origin, other)).toBe('3 no cookie');
    expect(await fetch(site.origin, work)).toBe('3 no cookie');
  }
  await expect.poll(() => site.open.size).toBe(0);
});

test('a connection that its server has ended is opened again', async () => {
  let connections = 0;
  await using site = await rawServer((socket) => {
    connections += 1;
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      if (requests > 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\npage');
    });
  });
  const fetch = fetcherTo(site.host);
  await using work = new AsyncDisposableStack();
  for (let n = 0; n < 3; n += 1) expect(await fetch(site.origin, work)).toBe('page');
  expect(connections).toBe(3);
});

test('a fault of a request is no fault of the next one', async () => {
  await using site = await targetServer((request, response) => {
    if (request.url === '/reset') request.socket.destroy();
    else response.end('page');
  });
  const fetch = fetcherTo(site.host);
  await using work = new AsyncDisposableStack();
  expect(await fetch(site.origin, work)).toBe('page');
  await expect(fetch(`${site.origin}/reset`, work)).rejects.toMatchObject({ code: 'bad_upstream_response' });
  expect(await fetch(site.origin, work)).toBe('page');
});
