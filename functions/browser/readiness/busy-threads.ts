import { readdirSync } from 'node:fs';
import { procFile } from '../../../shared/observe/proc-file.ts';

/** Prefixes of Chromium's threads; Linux keeps 15 bytes of a name. */
const WORKER = /^(DedicatedWorke|SharedWorker|ServiceWorker)/;
const POOL = /^(ThreadPoolForeg|ThreadPoolSingl|WebCrypto)/;

/** Less is small work of Chromium's own, or of a new thread, which has the name of its creator at first. */
const LEAST_NS = 50_000;

export type Busy = 'workers' | 'pool' | 'none';

type Kind = 'worker' | 'pool' | 'new' | 'other';

/** `ran` grows with the time for which it ran. */
type Thread = { kind: Kind; ran: number; isBusy: boolean };

/**
 * Each call returns which threads of a process work, now or since the call before, what no event reports:
 * threads of workers, or else of a pool for cryptography, storage, pictures and streams.
 */
export function busyThreads(pid: number): () => Busy {
  const folder = `/proc/${pid}/task`;
  let known = new Map<string, Thread>();
  return () => {
    const before = known;
    try {
      known = new Map(readdirSync(folder).map((id) => [id, readThread(`${folder}/${id}`, before.get(id))]));
    } catch {
      return 'none';
    }
    const busy = [...known.values()].filter(({ isBusy }) => isBusy);
    if (busy.some(({ kind }) => kind === 'worker')) return 'workers';
    return busy.length > 0 ? 'pool' : 'none';
  };
}

/**
 * The name, in parentheses, is followed by the state, and ten fields later by the time in user and kernel
 * mode, in hundredths of a second: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 * The scheduler counts in nanoseconds: https://docs.kernel.org/scheduler/sched-stats.html
 */
function readThread(path: string, before: Thread | undefined): Thread {
  if (before?.kind === 'other') return before;
  const stat = procFile(`${path}/stat`);
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  const ns = parseInt(procFile(`${path}/schedstat`), 10);
  const kind = kindOf(stat.slice(stat.indexOf('(') + 1, end), ns);
  // Each look at the timers of a worker makes it run for an instant.
  const [ran, least] = kind === 'worker' ? [Number(fields[11]) + Number(fields[12]), 1] : [ns, LEAST_NS];
  const isRunning = fields[0] === 'R' || fields[0] === 'D';
  const hasRun = before?.kind === kind && ran - before.ran >= least;
  return { kind, ran, isBusy: kind !== 'other' && (isRunning || hasRun) };
}

function kindOf(name: string, ns: number): Kind {
  if (WORKER.test(name)) return 'worker';
  if (POOL.test(name)) return 'pool';
  return ns < LEAST_NS ? 'new' : 'other';
}
