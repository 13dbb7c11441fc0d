/** Time reserved for reading the page once the waits are over. */
const RESERVE_SHARE = 0.2;
const MAX_RESERVE_MS = 1_500;
/** The share of it that a script may still run. */
const LAST_SHARE = 0.25;

/** Pictures take longer. */
const PICTURE_SHARE = 0.4;
const MAX_PICTURE_MS = 30_000;

/** `waits` aborts before `signal`. A script still running `lastMs` later blocks the reading of the page. */
export type RenderTime = { signal: AbortSignal; waits: AbortSignal; lastMs: number };

export function renderTime(ms: number, hasPictures = false): RenderTime {
  const reserveMs = hasPictures
    ? Math.min(ms * PICTURE_SHARE, MAX_PICTURE_MS)
    : Math.min(ms * RESERVE_SHARE, MAX_RESERVE_MS);
  return {
    signal: AbortSignal.timeout(ms),
    waits: AbortSignal.timeout(Math.round(ms - reserveMs)),
    lastMs: Math.min(reserveMs, MAX_RESERVE_MS) * LAST_SHARE,
  };
}
