import { readdirSync } from 'node:fs';
import { procFile } from '../../../shared/observe/proc-file.ts';

/** Prefixes of Chromium's worker threads; Linux keeps 15 bytes of a name. */
const WORKERS = /^(ThreadPoolForeg|ThreadPoolSingl|WebCrypto|DedicatedWorke|SharedWorker|ServiceWorker)/;

/** No event reports work of workers, cryptography, storage, pictures or streams. */
export function hasBusyThreads(pid: number): boolean {
  const folder = `/proc/${pid}/task`;
  try {
    return readdirSync(folder).some((id) => isBusyWorker(procFile(`${folder}/${id}/stat`)));
  } catch {
    return false;
  }
}

/** The state follows the name in parentheses: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function isBusyWorker(stat: string): boolean {
  const end = stat.lastIndexOf(')');
  return 'RD'.includes(stat.charAt(end + 2)) && WORKERS.test(stat.slice(stat.indexOf('(') + 1, end));
}
