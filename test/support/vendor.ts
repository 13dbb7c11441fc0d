import type { TlsOptions } from 'node:tls';
import { Server, type PrepareRequestFunctionOpts } from 'proxy-chain';

export const PASSWORD = 'p@ss:word';
/** The vendor's one account, as it stands in a URL. */
export const CREDENTIALS = `user-country-de:${encodeURIComponent(PASSWORD)}`;

/** A vendor's proxy with that account alone, that remembers what it was asked for. */
export async function vendor(httpsOptions?: TlsOptions) {
  const asked: string[] = [];
  const prepareRequestFunction = ({ hostname, port, username, password }: PrepareRequestFunctionOpts) => {
    asked.push(`${hostname}:${port}`);
    return { requestAuthentication: `${username}:${encodeURIComponent(password)}` !== CREDENTIALS };
  };
  const options = { host: '127.0.0.1', port: 0, prepareRequestFunction };
  const server = new Server(httpsOptions ? { ...options, serverType: 'https', httpsOptions } : options);
  await server.listen();
  return {
    host: `127.0.0.1:${server.port}`,
    port: server.port,
    asked,
    [Symbol.asyncDispose]: () => server.close(true),
  };
}
