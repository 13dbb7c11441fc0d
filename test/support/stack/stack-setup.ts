import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { listen } from '../../../local/listen.ts';
import { addresses } from '../../fixtures/crawls/web.ts';
import { DESCRIBED, localStack, type TestStack } from './local-stack.ts';
import { synthesised } from './synthesised-stacks.ts';

/** Linux gives these ports to no connection. */
const FREE_PORTS = [20_000, 32_758] as const;
/** Plain, over IPv6, and with three certificates. */
const FIXTURE_SITES = 5;

/** As on a machine of little memory: many files call at once, and a start takes longer than most calls. */
const MAX_ENVIRONMENTS = 3;

/**
 * Starts the stack that tests share. It takes a while in which others run, so tests that need it wait for an
 * answer at the provided address.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const receiverPort = randomInt(...FREE_PORTS);
  const targetPort = receiverPort + 1;
  const crawlPort = targetPort + 1;
  const fixturePorts = Array.from({ length: FIXTURE_SITES }, (_, n) => crawlPort + 1 + n);
  const starting = start([
    ...[receiverPort, targetPort, ...fixturePorts].map((port) => `127.0.0.1:${port}`),
    ...addresses.map((address) => `${address}:${crawlPort}`),
  ]);
  project.provide('receiverPort', receiverPort);
  project.provide('targetPort', targetPort);
  project.provide('crawlPort', crawlPort);
  project.provide('fixturePorts', fixturePorts);
  const described = starting.then((stack) =>
    JSON.stringify(Object.fromEntries(DESCRIBED.map((key) => [key, stack[key]]))),
  );
  // Whoever waits gets the error.
  described.catch(() => undefined);
  const server = createServer((_, response) => {
    described.then(
      (json) => response.end(json),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const { url, [Symbol.asyncDispose]: close } = await listen(server);
  project.provide('stackAt', url);
  return async () => {
    await close();
    await (await starting)[Symbol.asyncDispose]();
  };
}

async function start(egressAllow: string[]): Promise<TestStack> {
  const assembly = await synthesised('cdk.out');
  return localStack({ assembly, egressAllow, maxEnvironments: MAX_ENVIRONMENTS });
}
