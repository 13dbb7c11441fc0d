import { AppError } from '../errors.ts';

type Deadline = { signal: AbortSignal; deadlineAt: Date };

/**
 * A signal that aborts with `timeout` after so many milliseconds, or when the other one does. Disposed, it is free to go: AbortSignal.timeout
 * and AbortSignal.any keep whoever listens until all time is over, long after a quick job is done.
 */
export function deadline(ms: number, other?: AbortSignal): Deadline & Disposable {
  const over = new AbortController();
  const deadlineAt = new Date(Date.now() + ms);
  const timer = setTimeout(() => over.abort(new AppError('timeout')), ms);
  const end = () => over.abort(other?.reason);
  if (other?.aborted) end();
  other?.addEventListener('abort', end);
  return {
    signal: over.signal,
    deadlineAt,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      other?.removeEventListener('abort', end);
    },
  };
}
