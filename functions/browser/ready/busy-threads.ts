import { readdirSync } from 'node:fs';
import { procFile } from '../../../shared/observe/proc-file.ts';

/** Chromium's threads that work for a page beside its main one, by the start of their names, of which Linux keeps 15 bytes. */
const WORKERS = /^(ThreadPoolForeg|ThreadPoolSingl|WebCrypto|DedicatedWorke|SharedWorker|ServiceWorker)/;

/**
 * True while a thread of the process works for a page: a worker computes, or cryptography, storage, a picture or a stream
 * is on its way. No event tells.
 */
export function hasBusyThreads(pid: number): boolean {
  const folder = `/proc/${pid}/task`;
  try {
    return readdirSync(folder).some((id) => isBusyWorker(procFile(`${folder}/${id}/stat`)));
  } catch {
    // The browser is gone.
    return false;
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the name in parentheses, then the state: running, or waiting for a disk. */
function isBusyWorker(stat: string): boolean {
  const end = stat.lastIndexOf(')');
  return 'RD'.includes(stat.charAt(end + 2)) && WORKERS.test(stat.slice(stat.indexOf('(') + 1, end));
}
