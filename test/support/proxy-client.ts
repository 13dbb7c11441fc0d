import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Writes `bytes` to a proxy and gives back all it answers until it closes: what a hostile client would do. */
export async function say(proxyUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(proxyUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(bytes);
  return text(socket).catch(() => '');
}
