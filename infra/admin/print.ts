/** A result for people: its fields one a line, its lists as tables, its groups under their names. */
export function tables(result: object): string {
  const entries = Object.entries(result) as [string, unknown][];
  const fields = entries.filter(([, value]) => !isObject(value));
  const parts = entries.flatMap(([name, value]) => {
    if (Array.isArray(value)) return [list(name, value as object[])];
    return isObject(value) ? [`${label(name)}\n${tables(value).replaceAll(/^/gm, '  ')}`] : [];
  });
  const own = aligned(fields.map(([name, value]) => [label(name), cell(name, value)]));
  return [own, ...parts].filter(Boolean).join('\n\n');
}

/** The list of a result as CSV: https://www.rfc-editor.org/rfc/rfc4180 */
export function csv(result: object): string {
  const rows = Object.values(result).find((value) => Array.isArray(value)) as Record<string, unknown>[];
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => columns.map((column) => csvCell(row[column])).join(','));
  return [columns.join(','), ...lines].join('\r\n');
}

/** A spreadsheet runs text that begins like a formula: https://owasp.org/www-community/attacks/CSV_Injection */
function csvCell(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

function list(name: string, rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) return `no ${label(name)}`;
  const columns = Object.keys(first);
  const cells = rows.map((row) => {
    const values = row as Record<string, unknown>;
    return columns.map((column) => cell(column, values[column]));
  });
  return aligned([columns.map((column) => label(column).toUpperCase()), ...cells]);
}

function cell(name: string, value: unknown): string {
  if (value === undefined) return '-';
  if (typeof value === 'number') return value.toLocaleString('en');
  // A name may contain control sequences for the terminal.
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\p{C}/gu, '\u{fffd}');
  return name.endsWith('_at') ? text.replace(/T(\d\d:\d\d).*/, ' $1 UTC') : text;
}

const label = (name: string) => name.replaceAll('_', ' ');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
