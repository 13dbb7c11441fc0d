import { readdirSync } from 'node:fs';
import { procFile } from '../../../shared/observe/proc-file.ts';

/** Prefixes of Chromium's threads; Linux keeps 15 bytes of a name. */
const WORKER = /^(DedicatedWorke|SharedWorker|ServiceWorker)/;
const POOL = /^(ThreadPoolForeg|ThreadPoolSingl|WebCrypto)/;

export type Busy = 'workers' | 'pool' | 'none';

type Thread = { name: string; isRunning: boolean; ticks: number };

/**
 * Each call returns which threads of a process work, what no event reports: threads of workers, now or since
 * the call before, or else, now, of a pool for cryptography, storage, pictures and streams.
 */
export function busyThreads(pid: number): () => Busy {
  const folder = `/proc/${pid}/task`;
  let known = new Map<string, Thread>();
  return () => {
    const before = known;
    try {
      known = new Map(readdirSync(folder).map((id) => [id, readThread(procFile(`${folder}/${id}/stat`))]));
    } catch {
      return 'none';
    }
    // On a busy machine, a call may miss all slices of work, but not the time that they took.
    const hasRun = (id: string, { ticks }: Thread) => ticks > (before.get(id)?.ticks ?? ticks);
    const all = [...known];
    if (all.some(([id, thread]) => WORKER.test(thread.name) && (thread.isRunning || hasRun(id, thread))))
      return 'workers';
    // Until a new thread runs, it has the name of its creator.
    const isOfPool = (id: string, name: string) => POOL.test(name) || (before.size > 0 && !before.has(id));
    return all.some(([id, { name, isRunning }]) => isRunning && isOfPool(id, name)) ? 'pool' : 'none';
  };
}

/**
 * The name, in parentheses, is followed by the state, and ten fields later by the time in user and kernel
 * mode, in hundredths of a second: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function readThread(stat: string): Thread {
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  return {
    name: stat.slice(stat.indexOf('(') + 1, end),
    isRunning: fields[0] === 'R' || fields[0] === 'D',
    ticks: Number(fields[11]) + Number(fields[12]),
  };
}
