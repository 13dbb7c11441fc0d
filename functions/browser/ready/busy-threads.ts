import { readdirSync } from 'node:fs';
import { procFile } from '../../../shared/observe/proc-file.ts';

/** Prefixes of Chromium's threads; Linux keeps 15 bytes of a name. */
const WORKER = /^(DedicatedWorke|SharedWorker|ServiceWorker)/;
const POOL = /^(ThreadPoolForeg|ThreadPoolSingl|WebCrypto)/;

/**
 * The threads that work at this moment, which no event reports: those of workers, or else those of a pool for
 * cryptography, storage, pictures and streams.
 */
export function busyThreads(pid: number): 'workers' | 'pool' | 'none' {
  const folder = `/proc/${pid}/task`;
  try {
    const busy = readdirSync(folder).flatMap((id) => busyName(procFile(`${folder}/${id}/stat`)));
    if (busy.some((name) => WORKER.test(name))) return 'workers';
    return busy.some((name) => POOL.test(name)) ? 'pool' : 'none';
  } catch {
    return 'none';
  }
}

/** The state follows the name in parentheses: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function busyName(stat: string): string[] {
  const end = stat.lastIndexOf(')');
  return 'RD'.includes(stat.charAt(end + 2)) ? [stat.slice(stat.indexOf('(') + 1, end)] : [];
}
