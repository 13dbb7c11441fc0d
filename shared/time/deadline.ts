import { AppError } from '../errors.ts';

type Deadline = { signal: AbortSignal; deadlineAt: Date };

/** Aborts with `timeout` after `ms`, or with `other`. Dispose it when done: it holds listeners until then. */
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
