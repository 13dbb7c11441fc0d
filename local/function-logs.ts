import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

export type FunctionLogs = { of: (label: string) => (line: string) => void } & AsyncDisposable;

export type FunctionLine = { function: string } & Record<string, unknown>;

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

/** All lines that functions have written: as text, and the JSON ones parsed. */
export async function readFunctionLogs(folder: string): Promise<{ text: string; lines: FunctionLine[] }> {
  const files = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  const text = files.join('');
  const lines = text.split('\n').flatMap((line): FunctionLine[] => {
    const [, name = '', json] = /^(\w+) (\{.*\})$/.exec(line) ?? [];
    return json === undefined ? [] : [{ function: name, ...(JSON.parse(json) as object) }];
  });
  return { text, lines };
}
