import { CLIENT } from './install-client.ts';

/** Flags that Lambda starts Node.js 24 with. */
const FLAGS = ['--no-experimental-require-module', '--no-experimental-detect-module'];

/** Replaces local/lambda/runtime-command.ts. Lambda's client reads all else from its environment. */
export function runtimeCommand(): string[] {
  return [...FLAGS, CLIENT];
}
