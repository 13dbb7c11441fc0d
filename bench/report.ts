import { readFile, writeFile } from 'node:fs/promises';
import { type Goal, goalLine } from './goals.ts';

const PLACE = /(<!-- bench -->\n)[^]*(<!-- \/bench -->)/;

type Cells = Readonly<Record<string, string | number | undefined>>;
type Section = { title: string; rows: readonly Cells[] };

/** Replaces the last run's tables and goals in the document. */
export async function writeReport(
  file: string,
  sections: readonly Section[],
  goals: readonly Goal[],
  about: string,
) {
  const tables = sections.map(({ title, rows }) => `### ${title}\n\n${table(rows)}\n`);
  const checked = ['```text', ...goals.map(goalLine), '```'].join('\n');
  const report = [`${about}\n`, ...tables, `### Goals\n\n${checked}\n`].join('\n');
  const text = await readFile(file, 'utf8');
  if (!PLACE.test(text)) throw new Error(`${file} has no place for the report.`);
  await writeFile(
    file,
    text.replace(PLACE, (_, begin: string, end: string) => `${begin}\n${report}\n${end}`),
  );
}

function table(rows: readonly Cells[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = (row: Cells) => columns.map((name) => String(row[name] ?? ''));
  const lines = [
    columns.map((name) => name.replaceAll('_', ' ')),
    columns.map(() => '---'),
    ...rows.map(cells),
  ];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
