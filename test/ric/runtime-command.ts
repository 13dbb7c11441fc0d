import { CLIENT } from './install-client.ts';

/** Flags that Lambda starts Node.js 24 with. */
const FLAGS = ['--no-experimental-require-module', '--no-experimental-detect-module'];

/** In place of local/lambda/runtime-command.ts: Lambda's own client, which reads all else from its environment. */
export function runtimeCommand(): string[] {
  return [...FLAGS, CLIENT];
}
