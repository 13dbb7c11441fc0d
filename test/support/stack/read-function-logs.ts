import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type FunctionLine = { function: string } & Record<string, unknown>;

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
