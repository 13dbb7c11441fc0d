import { afterAll, inject } from 'vitest';
import { connect } from '../../../infra/admin/connect.ts';
import { clientOf } from './client.ts';
import { type DescribedStack, localStack, type StackChoices, type TestStack } from './local-stack.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with Vitest's own
  export interface ProvidedContext {
    /** A URL that describes the shared stack once it runs. */
    stackAt: string;
    /** A free port at which the shared stack may send webhooks. */
    receiverPort: number;
    /** A free port at which the shared stack may scrape a site of a test. */
    targetPort: number;
    /** Free ports of this machine's servers in test/fixtures/sites. */
    fixturePorts: number[];
    /** The port of the hosts that the shared stack may crawl. */
    crawlPort: number;
  }
}

export type SharedStack = DescribedStack & Pick<TestStack, 'client' | 'storage'>;

/** The stack of all files that only call it. Where limits or sums matter, each has its own organization. */
export async function sharedStack(): Promise<SharedStack> {
  const stack = await described();
  return {
    ...stack,
    client: clientOf(stack.baseUrl, stack.apiKey),
    storage: await connect({ local: true, stage: 'dev', localDir: stack.localDir }),
  };
}

async function described(): Promise<DescribedStack> {
  const answer = await fetch(inject('stackAt'));
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as DescribedStack;
}

/** The cloud assembly of the current code, complete. */
export async function assemblyOfStacks(): Promise<string> {
  return (await described()).assembly;
}

/** A separate stack for all tests of a file. */
export async function ownStack(choices: Partial<StackChoices> = {}): Promise<TestStack> {
  const stack = await localStack({ assembly: await assemblyOfStacks(), ...choices });
  afterAll(() => stack[Symbol.asyncDispose]());
  return stack;
}
