import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** One flag, range or check to remove, and the test that must then fail. */
export type Mutation = { file: string; text: string; becomes: string; test: string; case: string };

const lists = z.record(
  z.string(),
  z.record(
    z.string(),
    z.array(
      z.union([
        z.strictObject({ change: z.string(), to: z.string(), fails: z.string() }),
        z.strictObject({ remove: z.string(), fails: z.string() }),
      ]),
    ),
  ),
);

/** The mutations of all lists here, which name by file and by test what changes and which title fails. */
export function readMutations(): Mutation[] {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.yaml'));
  return names.flatMap((name) => mutationsIn(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')));
}

function mutationsIn(yaml: string): Mutation[] {
  return Object.entries(lists.parse(parse(yaml))).flatMap(([file, tests]) =>
    Object.entries(tests).flatMap(([test, changes]) =>
      changes.map((it) =>
        'remove' in it
          ? { file, test, text: it.remove, becomes: '', case: it.fails }
          : { file, test, text: it.change, becomes: it.to, case: it.fails },
      ),
    ),
  );
}
