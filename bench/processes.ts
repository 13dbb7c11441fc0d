import { setTimeout } from 'node:timers/promises';
import { procFile } from '../shared/observe/proc-file.ts';
import { treeOf } from '../test/support/stack/signal-tree.ts';

/** Hundredths of a second: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const TICK_MS = 10;
const KIBIBYTES_PER_MB = 1_000_000 / 1_024;

/** CPU time of this process and its descendants, ended ones included, except the given ones. */
export async function cpuMs(without: readonly number[]): Promise<number> {
  const counted = (await treeOf(process.pid)).filter((pid) => !without.includes(pid));
  return counted.reduce((sum, pid) => sum + ticksOf(pid), 0) * TICK_MS;
}

function ticksOf(pid: number): number {
  const stat = procFile(`/proc/${pid}/stat`);
  // User and system time, its own and its ended children's.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return fields.reduce((sum, field) => sum + Number(field), 0);
}

/** Memory of a process tree in MB; shared pages count proportionally. */
export async function pssMb(pid: number): Promise<number> {
  const sizes = (await treeOf(pid)).map((id) =>
    Number(/^Pss:\s+(\d+)/m.exec(procFile(`/proc/${id}/smaps_rollup`))?.[1] ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / KIBIBYTES_PER_MB;
}

/** The execution environments of a function, below the given process. */
export async function environmentsOf(functionName: string, below: number): Promise<number[]> {
  return (await treeOf(below)).filter((pid) =>
    procFile(`/proc/${pid}/cmdline`).includes(`"functionName":"${functionName}"`),
  );
}

const CALM_MS = 40;
const MAX_CALMING_MS = 1_000;

/** Waits until no descendant works: browsers may be closing or launching. */
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
