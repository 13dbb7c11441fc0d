import { afterAll, inject } from 'vitest';
import { connect } from '../../infra/admin/connect.ts';
import { clientOf } from './client.ts';
import { localStack, type StackChoices, type TestStack } from './local-stack.ts';

/** A separate stack for all tests of a file. */
export async function ownStack(options?: StackChoices): Promise<TestStack> {
  const stack = await localStack(options);
  afterAll(() => stack[Symbol.asyncDispose]());
  return stack;
}

export type SharedStack = Pick<
  TestStack,
  | 'baseUrl'
  | 'dashboardUrl'
  | 'apiKey'
  | 'demoSite'
  | 'localDir'
  | 'endpoints'
  | 'functions'
  | 'client'
  | 'storage'
>;

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with Vitest's own
  export interface ProvidedContext {
    stack: Omit<SharedStack, 'client' | 'storage'>;
  }
}

/** The stack of all files that only call it. Where limits or sums matter, each has its own organization. */
export async function sharedStack(): Promise<SharedStack> {
  const stack = inject('stack');
  return {
    ...stack,
    client: clientOf(stack.baseUrl, stack.apiKey),
    storage: await connect({ local: true, stage: 'dev', localDir: stack.localDir }),
  };
}
