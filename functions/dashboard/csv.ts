import { fileReply, type DashboardReply } from './replies.ts';

type Cell = string | number;

/** A file of comma-separated values, by RFC 4180, that browsers store. */
export function csvReply(name: string, rows: readonly (readonly Cell[])[]): DashboardReply {
  const lines = rows.map((row) => `${row.map(cell).join(',')}\r\n`);
  return fileReply(`${name}.csv`, 'text/csv; charset=utf-8; header=present', lines.join(''));
}

/** Spreadsheets take text that begins like this for a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^\s*[=+\-@\t\r]/;

function cell(value: Cell): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
