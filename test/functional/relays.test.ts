import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../local/listen.ts';
import { openRelays, relayed } from '../../local/relays.ts';

/** An address of this machine that nothing else listens on, like Docker's bridge. */
const HOST = '127.0.0.2';

test('containers reach at their address of the machine what listens on loopback', async () => {
  await using server = await listen(createServer((request, response) => request.pipe(response)));
  const url = relayed(`${server.url}/echo`, HOST);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  {
    await using _ = await openRelays(HOST, [server.url, server.url]);
    const body = 'x'.repeat(1_000_000);
    const answer = await fetch(url, { method: 'POST', body });
    expect(await answer.text()).toBe(body);
  }
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('without such an address nothing is opened', async () => {
  await using server = await listen(createServer((_, response) => response.end('ok')));
  await using _ = await openRelays(undefined, [server.url]);
  expect(relayed(server.url)).toBe(server.url);
  await expect(fetch(relayed(server.url, HOST))).rejects.toThrow('fetch failed');
});

test('an address of another machine stops the start with an error that names the variable', async () => {
  await expect(openRelays('192.0.2.1', ['http://127.0.0.1:1234'])).rejects.toThrow(
    'EMULATORS_HOST=192.0.2.1 is not an address of this machine. That of Docker is in "ip addr show docker0".',
  );
});
