import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Writes `bytes` to a proxy, as a hostile client would, and returns everything it sends until it closes. */
export async function say(proxyUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(proxyUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(bytes);
  return text(socket).catch(() => '');
}

/** A client that keeps its one connection. */
export function proxyClient(proxyUrl: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    /** The body of the target's response. */
    get: async (url: string): Promise<string> => {
      const sent = request(proxyUrl, { path: url, agent, headers: { Host: new URL(url).host } }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return text(response);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
