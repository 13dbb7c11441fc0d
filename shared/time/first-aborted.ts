/**
 * Aborts with the first of these that does, and its reason. For one signal and a time, see `deadline`.
 * When Node 24 collects garbage, AbortSignal.any may lose a timeout, which then never fires.
 */
export function firstAborted(...signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController();
  const abort = ({ target }: Pick<Event, 'target'>) => {
    // Signals that live longer must not hold what waited for this one.
    for (const signal of signals) signal.removeEventListener('abort', abort);
    first.abort((target as AbortSignal).reason);
  };
  for (const signal of signals) signal.addEventListener('abort', abort);
  const target = signals.find(({ aborted }) => aborted);
  if (target) abort({ target });
  return first.signal;
}
