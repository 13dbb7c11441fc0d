import { readFile, writeFile } from 'node:fs/promises';
import { type Goal, goalLine } from './goals.ts';

type Cells = Readonly<Record<string, string | number | undefined>>;

/** Replaces the last run's tables in bench/NOTES.md. */
export async function writeTables(sections: Readonly<Record<string, readonly Cells[]>>, about: string) {
  const tables = Object.entries(sections).map(([title, rows]) => `### ${title}\n\n${table(rows)}\n`);
  await replace('NOTES.md', [`${about}\n`, ...tables].join('\n'));
}

/** Replaces the last run's goals in docs/performance.md. */
export async function writeGoals(goals: readonly Goal[]) {
  await replace('../docs/performance.md', ['```text', ...goals.map(goalLine), '```', ''].join('\n'));
}

async function replace(document: string, report: string): Promise<void> {
  const file = new URL(document, import.meta.url);
  const text = await readFile(file, 'utf8');
  const place = /(<!-- bench -->\n)[^]*(<!-- \/bench -->)/;
  if (!place.test(text)) throw new Error(`${document} has no place for the report.`);
  await writeFile(
    file,
    text.replace(place, (_, begin: string, end: string) => `${begin}\n${report}\n${end}`),
  );
}

function table(rows: readonly Cells[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [
    columns.map((name) => name.replaceAll('_', ' ')),
    columns.map(() => '---'),
    ...rows.map((row) => columns.map((name) => String(row[name] ?? ''))),
  ];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
