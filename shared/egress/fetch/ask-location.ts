import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { openTunnel, secured } from '../open-tunnel.ts';

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
  const socket = await secured(await openTunnel(proxyUrl, url, signal), url, signal);
  return requestTls(url, { headers: flat(url, headers), signal, createConnection: () => socket });
}
