import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

export type FunctionLogs = { of: (label: string) => (line: string) => void } & AsyncDisposable;

/** Opens one file per function. Each line begins with the function's name. */
export async function openFunctionLogs(folder: string): Promise<FunctionLogs> {
  await mkdir(folder, { recursive: true });
  const files: WriteStream[] = [];
  return {
    of(label) {
      const file = createWriteStream(join(folder, `${label}.log`), { flags: 'a' });
      files.push(file);
      return (line) => file.writable && file.write(`${label} ${line}\n`);
    },
    async [Symbol.asyncDispose]() {
      for (const file of files) file.end();
      await Promise.allSettled(files.map((file) => finished(file)));
    },
  };
}
