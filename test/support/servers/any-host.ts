import { connect } from 'node:net';
import { dnsServer } from './dns-server.ts';
import { rawServer } from './target-server.ts';

/** https://www.rfc-editor.org/rfc/rfc8446#section-5.1 */
const TLS_HANDSHAKE = 0x16;

/** The policy for a web whose public names all lead to the test's servers, through a premium proxy. */
export async function anyHost(plainPort: number, securePort = plainPort) {
  const dns = await dnsServer(({ type }) => (type === 'A' ? ['93.184.216.34'] : []));
  const proxy = await rawServer((client) =>
    client.once('data', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.once('data', (first: Buffer) => {
        const site = connect(first[0] === TLS_HANDSHAKE ? securePort : plainPort, '127.0.0.1');
        site.on('error', () => client.destroy()).write(first);
        client.pipe(site).pipe(client);
      });
    }),
  );
  return {
    policy: { allow: [], dnsServers: [dns.address], upstreamUrl: proxy.origin },
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await dns[Symbol.asyncDispose]();
    },
  };
}
