/** `node test/firecrawl/with-stack.ts SCRIPT ...`: runs a script with the URL and a key of a stack. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLocalEnv } from '../../shared/local-config.ts';
import { newOrganization } from '../support/world/organization.ts';
import { PUBLIC } from '../egress/namespace/network.ts';
import { dnsServer } from '../support/servers/dns-server.ts';
import { type Asked, honest, modelServer, type Said } from '../support/servers/model-server.ts';
import { targetServer, tlsServer } from '../support/servers/target-server.ts';
import { localStack } from '../support/stack/local-stack.ts';
import { synthesised } from '../support/stack/synthesised-stacks.ts';
import { certificateIn, HOSTS } from './certificate.ts';
import { site } from './site.ts';
import { trustingAssembly } from './trusting-assembly.ts';

const DNS_PORT = 53;

/** Words of the page for each value, and its beginning for a summary. */
function summing(asked: Asked): Said {
  const values = honest(asked).values as Record<string, unknown>;
  return { values: { ...values, ...('summary' in values && { summary: asked.page.slice(0, 200) }) } };
}

/** Starts the stack, and the sites that the tests name, in the network of this process. */
async function started() {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'firecrawl-'));
  starting.defer(() => rm(folder, { recursive: true, maxRetries: 10, retryDelay: 50 }));
  const certificate = await certificateIn(folder);
  const isKnown = (name: string) => HOSTS.some((host) => host === name);
  starting.use(
    await dnsServer(({ name, type }) => (isKnown(name) && type === 'A' ? [PUBLIC] : []), DNS_PORT),
  );
  const tls = { key: certificate.key, cert: certificate.pem };
  starting.use(await tlsServer(site, { address: PUBLIC, port: 443 }, tls));
  starting.use(await targetServer(site, { address: PUBLIC, port: 80 }));
  const { baseUrl: MODEL_URL } = starting.use(await modelServer(summing));
  const model = { MODEL_URL, MODEL_NAME: 'stub', MODEL_STRUCTURED: 'json_schema' } as const;
  const assembly = await trustingAssembly(await synthesised('cdk.out'), folder, certificate);
  const stack = starting.use(await localStack({ assembly, model }));
  const { api_key: key } = await newOrganization(stack.storage, { plan: 'business' });
  const running = starting.move();
  return { url: stack.baseUrl, key, home: folder, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

await using stack = await started();
const { url, key } = stack;
const child = spawn(process.execPath, process.argv.slice(2), {
  stdio: 'inherit',
  env: {
    ...{ PATH: readLocalEnv({}).path, HOME: stack.home },
    ...{ TEST_URL: url, TEST_API_KEY: key, FIRECRAWL_API_URL: url, FIRECRAWL_API_KEY: key },
    // They would leave the network of this process.
    ...{ FIRECRAWL_NO_UPDATE_CHECK: '1', FIRECRAWL_NO_TELEMETRY: '1' },
  },
});
await once(child, 'exit');
