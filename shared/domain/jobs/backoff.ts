export const MAX_ATTEMPTS = 3;

const FIRST_DELAY_SECONDS = 5;
const GROWTH = 4;

/** Seconds to wait after the given failed attempt (1 or more): 5, then 20. */
export function retryDelaySeconds(attempt: number): number {
  return FIRST_DELAY_SECONDS * GROWTH ** (attempt - 1);
}

/** Seconds, 5 to 14, between looks for a free slot or browser; `random` (0 to 1) spreads them. */
export function slotWaitSeconds(random: number): number {
  return 5 + Math.floor(random * 10);
}
