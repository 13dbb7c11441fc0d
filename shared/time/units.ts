export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The time so many milliseconds later, or earlier if they are negative. */
export function addMs(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
