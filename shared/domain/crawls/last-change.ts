/**
 * Whether a page has not changed since it was fetched, by its `lastmod`: a time, or a day, month or year, of
 * which the last moment counts.
 */
export function isUnchanged(lastmod: string | undefined, fetchedAt: string): boolean {
  if (lastmod === undefined) return false;
  const end = endOf(lastmod);
  return !Number.isNaN(end) && end <= Date.parse(fetchedAt);
}

function endOf(lastmod: string): number {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(lastmod) ?? [];
  if (year === undefined) return Date.parse(lastmod);
  if (month === undefined) return Date.UTC(Number(year) + 1, 0);
  return day === undefined
    ? Date.UTC(Number(year), Number(month))
    : Date.UTC(Number(year), Number(month) - 1, Number(day) + 1);
}
