import { SitefetchError } from './sitefetch-error.ts';

/** Whether nothing was charged or begun, or a repeat changes nothing. */
export function mayRepeat({ isRepeatable }: { isRepeatable: boolean }, error: unknown): boolean {
  if (!(error instanceof SitefetchError)) return false;
  const { code, status = 0, retryable, details } = error;
  const isRefusal = status === 429 || status === 503;
  // Only the service itself knows that it has begun nothing.
  if (isRefusal && retryable && details) return true;
  if (!isRepeatable) return false;
  const isFinal = status >= 400 && status < 500 && !isRefusal && code !== 'idempotency_in_flight';
  return status === 500 || (retryable && !isFinal);
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** Milliseconds: what the service says or, with jitter, twice as long each time. */
export function pauseAfter({ retryAfterSeconds }: SitefetchError, failures: number): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000;
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}
