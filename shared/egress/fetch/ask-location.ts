import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';

type Headers = readonly (readonly [name: string, value: string])[];

/** Node's client, because Chrome's drops a `Location` with bytes beyond ASCII and joins two into one. */
export async function askLocations(
  url: URL,
  headers: Headers,
  proxyUrl: string,
  signal: AbortSignal,
): Promise<string[]> {
  const asked = await (url.protocol === 'http:' ? askClear : askTunnelled)(url, headers, proxyUrl, signal);
  const [response] = (await once(asked.end(), 'response', { signal })) as [IncomingMessage];
  response.destroy();
  const { rawHeaders } = response;
  return rawHeaders.filter((_, index) => index % 2 === 1 && isLocation(rawHeaders[index - 1]));
}

const isLocation = (name: string | undefined) => name?.toLowerCase() === 'location';

const flat = (url: URL, headers: Headers) => ['Host', url.host, ...headers.flat()];

function askClear(url: URL, headers: Headers, proxyUrl: string, signal: AbortSignal): ClientRequest {
  return request(proxyUrl, { path: url.href, headers: flat(url, headers), signal, agent: false });
}

async function askTunnelled(
  url: URL,
  headers: Headers,
  proxyUrl: string,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const authority = `${url.hostname}:${url.port || '443'}`;
  const opening = request(proxyUrl, { method: 'CONNECT', path: authority, signal, agent: false }).end();
  const [response, socket] = (await once(opening, 'connect', { signal })) as [IncomingMessage, Socket];
  // Stays attached: an unhandled later error would end the process.
  socket.on('error', () => undefined);
  if (response.statusCode !== 200) {
    socket.destroy();
    throw new Error('The guard refused the target.');
  }
  const servername = serverNameOf(url);
  const createConnection = () =>
    connect({ socket, host: url.hostname, servername, ALPNProtocols: ['http/1.1'] });
  // An agent, even `false`, would connect by itself, past the guard.
  return requestTls(url, { headers: flat(url, headers), signal, createConnection });
}

/** SNI carries no addresses: https://www.rfc-editor.org/rfc/rfc6066#section-3 */
const serverNameOf = ({ hostname }: URL) => (/^[\d.]+$|^\[/.test(hostname) ? '' : hostname);
