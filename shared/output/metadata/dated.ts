/** ISO 8601 for dates that name their time zone; others stay as they are written. */
export function dated(text: string | undefined): string | undefined {
  if (text === undefined || !/(?:Z|[+-]\d\d:?\d\d|GMT|UTC)$/i.test(text.trim())) return text;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
