import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { procFile } from '../../shared/observe/proc-file.ts';

type Row = { pid: number; parent: number; isZombie: boolean };

/**
 * Kills a process that leads its own group, and all its descendants in any group: a browser usually leads one
 * of its own.
 */
export async function killTree(leader: number): Promise<void> {
  const descendants = descendantsOf(leader, await processes());
  for (const pid of [leader, ...descendants]) {
    kill(-pid);
    kill(pid);
  }
}

export function killGroup(leader: number): void {
  kill(-leader);
}

export function descendantsOf(pid: number, rows: Row[]): number[] {
  const children = rows.filter(({ parent }) => parent === pid).map((row) => row.pid);
  return children.flatMap((child) => [child, ...descendantsOf(child, rows)]);
}

/** All processes, from /proc or, where there is none (macOS), from `ps`. */
export async function processes(): Promise<Row[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('/bin/ps', ['-A', '-o', 'pid=,stat=,ppid=']);
    return stdout
      .trim()
      .split('\n')
      .map((line) => row(line.trim().split(/\s+/)));
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const stats = pids.map((pid) => procFile(`/proc/${pid}/stat`));
  return stats.filter(Boolean).map(parseStat);
}

/**
 * The name in parentheses may hold anything, so fields are counted from its end.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function parseStat(stat: string): Row {
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return row([stat.slice(0, stat.indexOf(' ')), state, parent]);
}

const row = ([pid, state, parent]: (string | undefined)[]): Row => ({
  pid: Number(pid),
  parent: Number(parent),
  isZombie: state?.startsWith('Z') ?? false,
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, or leads no group.
  }
}
