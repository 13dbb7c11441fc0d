import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

export type FunctionLogs = { of: (label: string) => (line: string) => void } & AsyncDisposable;

/** One line of JSON, and the function that wrote it. */
export type FunctionLine = { function: string } & Record<string, unknown>;

/** One file per function, each line with its name in front. */
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

/** All that functions have written so far: as text, and those lines of it that are JSON. */
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
