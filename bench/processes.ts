import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { descendantsOf, processes } from '../local/lambda/process-tree.ts';

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html counts in hundredths of a second. */
const TICK_MS = 10;
const KIBIBYTES_PER_MB = 1_000_000 / 1_024;

/** A process and all below it. */
export const treeOf = async (pid: number) => [pid, ...descendantsOf(pid, await processes())];

/** CPU time of this process, all that it has started, and what of that has ended, but for the given ones. */
export async function cpuMs(without: readonly number[]): Promise<number> {
  const counted = (await treeOf(process.pid)).filter((pid) => !without.includes(pid));
  const ticks = await Promise.all(counted.map(ticksOf));
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}

async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // User and system time, its own and that of children that were waited for.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return fields.reduce((sum, field) => sum + Number(field), 0);
}

/** Memory of a process and all below it, in MB: pages that several have are shared out among them. */
export async function pssMb(pid: number): Promise<number> {
  const sizes = await Promise.all(
    (await treeOf(pid)).map(async (id) => {
      const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / KIBIBYTES_PER_MB;
}

/** The execution environments of a function, below the process that has started them. */
export async function environmentsOf(functionName: string, below: number): Promise<number[]> {
  const named = await Promise.all(
    (await treeOf(below)).map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return command.includes(`"functionName":"${functionName}"`) ? [pid] : [];
    }),
  );
  return named.flat();
}

/** Sends a signal to a process and all below it. */
export async function signalTree(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const id of await treeOf(pid)) {
    try {
      process.kill(id, signal);
    } catch {
      // Gone meanwhile.
    }
  }
}

const CALM_MS = 40;
const MAX_CALMING_MS = 1_000;

/** Until nothing that was started works any more: a browser that is closed, or launched for the next page. */
export async function calm(without: readonly number[]): Promise<void> {
  const giveUpAt = performance.now() + MAX_CALMING_MS;
  const others = [...without, process.pid];
  for (let [before, used] = [await cpuMs(others), Infinity]; used > TICK_MS;) {
    if (performance.now() > giveUpAt) return;
    await setTimeout(CALM_MS);
    const now = await cpuMs(others);
    [used, before] = [now - before, now];
  }
}
