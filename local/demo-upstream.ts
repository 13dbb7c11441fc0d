import { randomBytes } from 'node:crypto';
import { Server } from 'proxy-chain';
import { decide, type EgressPolicy } from '../shared/egress/decide.ts';
import { dial } from '../shared/egress/dial.ts';
import { tunnel } from '../shared/egress/tunnel.ts';

/** A premium proxy to try things out with: `url` is a template with credentials, as a vendor gives one out. */
type DemoUpstream = { url: string } & AsyncDisposable;

const USER = 'demo-country-{country}-session-{session}';
const KNOWN_USER = /^demo-country-([a-z]{2})?-session-[0-9a-f]+$/;

/** Starts a proxy on a free port of loopback. It has no exit of its own in the world, and judges targets like the guard. */
export async function startDemoUpstream(policy: EgressPolicy): Promise<DemoUpstream> {
  const secret = randomBytes(16).toString('hex');
  const closing = new AbortController();
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: async ({ request, hostname, port, username, password }) => {
      if (password !== secret || !KNOWN_USER.test(username)) return { requestAuthentication: true };
      // It resolves names once more, so it judges them once more: what is dialled is what was judged.
      const verdict = await decide(hostname, port, policy, closing.signal);
      return tunnel(request, await dial(verdict, closing.signal));
    },
  });
  await server.listen();
  return {
    url: `http://${USER}:${secret}@127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await server.close(true);
    },
  };
}
