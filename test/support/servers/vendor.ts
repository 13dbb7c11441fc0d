import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';

export const PASSWORD = 'p@ss:word';
/** The vendor's only account, as part of a URL. */
export const CREDENTIALS = `user-country-de:${encodeURIComponent(PASSWORD)}`;

const LOGIN = `Basic ${Buffer.from(`user-country-de:${PASSWORD}`).toString('base64')}`;

/** A vendor's proxy with that account only. Records its requests. */
export async function vendor(httpsOptions?: TlsOptions) {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = httpsOptions ? createHttps(httpsOptions) : createHttp();
  const hold = (socket: Socket) => {
    open.add(socket.on('error', () => undefined).once('close', () => open.delete(socket)));
  };
  server.on('connection', hold);
  server.on('connect', ({ headers, url = '' }: IncomingMessage, client: Socket) => {
    asked.push(url);
    hold(client);
    if (headers['proxy-authorization'] !== LOGIN) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    hold(target);
    target.once('close', () => client.destroy());
    client.once('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    port,
    asked,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      open.forEach((socket) => socket.destroy());
      await closed;
    },
  };
}
