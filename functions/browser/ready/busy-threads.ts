import { readdirSync, readFileSync } from 'node:fs';

/** Chromium's threads that work for a page beside its main one, by the start of their names, of which Linux keeps 15 bytes. */
const WORKERS = /^(ThreadPoolForeg|ThreadPoolSingl|WebCrypto|DedicatedWorke|SharedWorker|ServiceWorker)/;

/**
 * True while a thread of the process works for a page: a worker computes, or cryptography, storage, a picture or a stream
 * is on its way. No event tells.
 */
export function hasBusyThreads(pid: number): boolean {
  const folder = `/proc/${pid}/task`;
  try {
    return readdirSync(folder).some((id) => isBusyWorker(statOf(`${folder}/${id}/stat`)));
  } catch {
    // The browser is gone.
    return false;
  }
}

/** Read at once, some 10 µs each: otherwise Node takes 64 KB for a file of /proc, and has to collect them all. */
function statOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The thread is over.
    return '';
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the name in parentheses, then the state: running, or waiting for a disk. */
function isBusyWorker(stat: string): boolean {
  const end = stat.lastIndexOf(')');
  return 'RD'.includes(stat.charAt(end + 2)) && WORKERS.test(stat.slice(stat.indexOf('(') + 1, end));
}
