/** A number with thousands separators. */
export const count = (value: number) => value.toLocaleString('en');

export const counted = (value: number, unit: string) => `${count(value)} ${unit}${value === 1 ? '' : 's'}`;

/** A share in whole percent, which is 100 only for the whole. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (100 * part) / whole;
  return `${part < whole ? Math.min(99, Math.round(percent)) : 100}%`;
}
