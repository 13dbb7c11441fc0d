import { mkdir, writeFile } from 'node:fs/promises';
import { guardRow } from './guard.ts';

const RESULTS = new URL('../.cache/bench.json', import.meta.url);

/** What is measured, one row each: two ways of doing the same, interleaved in one run. */
const rows = [await guardRow()];

console.table(Object.fromEntries(rows.map(({ name, ...numbers }) => [name, numbers])));
await mkdir(new URL('.', RESULTS), { recursive: true });
await writeFile(RESULTS, `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`);
if (rows.some(({ added_ms, goal_ms }) => added_ms > goal_ms)) process.exitCode = 1;
