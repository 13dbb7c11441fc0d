/** Kept back from the waits, to read the page as it is. */
const RESERVE_SHARE = 0.1;
const MAX_RESERVE_MS = 1_500;

export type RenderTime = { signal: AbortSignal; waits: AbortSignal };

export function renderTime(ms: number): RenderTime {
  const reserveMs = Math.min(ms * RESERVE_SHARE, MAX_RESERVE_MS);
  return { signal: AbortSignal.timeout(ms), waits: AbortSignal.timeout(Math.round(ms - reserveMs)) };
}
