import { readFileSync } from 'node:fs';

/** Empty if the process has ended. Synchronous (10 µs): Node's asynchronous read allocates 64 KB a file. */
export function procFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
