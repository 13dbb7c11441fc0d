import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { listen } from '../../../local/listen.ts';
import { DESCRIBED, localStack, type TestStack } from './local-stack.ts';
import { synthesised } from './synthesised-stacks.ts';

/** Linux gives these ports to no connection. */
const FREE_PORTS = [20_000, 32_768] as const;

/**
 * Starts the stack that tests share. It takes a while in which others run, so tests that need it wait for an
 * answer at the provided address.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const receiverPort = randomInt(...FREE_PORTS);
  const starting = start(`127.0.0.1:${receiverPort}`);
  project.provide('receiverPort', receiverPort);
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

async function start(receiver: string): Promise<TestStack> {
  return localStack({ assembly: await synthesised('cdk.out'), egressAllow: [receiver] });
}
