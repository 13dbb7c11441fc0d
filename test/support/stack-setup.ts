import type { TestProject } from 'vitest/node';
import { localStack } from './local-stack.ts';
import { synthesised } from './synthesised-stacks.ts';

/** Before all tests that need stacks, once for all of them. */
export default async function setup(project: TestProject): Promise<() => PromiseLike<void>> {
  await synthesised('cdk.out');
  const stack = await localStack();
  const { baseUrl, dashboardUrl, apiKey, demoSite, localDir, endpoints, functions } = stack;
  project.provide('stack', { baseUrl, dashboardUrl, apiKey, demoSite, localDir, endpoints, functions });
  return () => stack[Symbol.asyncDispose]();
}
