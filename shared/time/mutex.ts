import { untilAborted } from './until-aborted.ts';

/**
 * Runs tasks one at a time, in the order of the calls. A failed task does not block the next. A task whose
 * signal aborts fails at once with its reason, and does not begin if its turn comes later.
 */
export function mutex(): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let before = Promise.resolve();
  return (work, signal) => {
    const result = before.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    const forget = () => undefined;
    before = result.then(forget, forget);
    return signal ? untilAborted(result, signal) : result;
  };
}
