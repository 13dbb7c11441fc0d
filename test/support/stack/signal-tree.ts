import { descendantsOf, processes } from '../../../local/lambda/process-tree.ts';

export const treeOf = async (pid: number) => [pid, ...descendantsOf(pid, await processes())];

export async function signalTree(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const id of await treeOf(pid)) {
    try {
      process.kill(id, signal);
    } catch {
      // It has ended since.
    }
  }
}
