import type { Log } from '../../shared/observe/log.ts';
import { described } from '../../shared/observe/redacted.ts';
import { forEachConcurrently } from '../../shared/time/for-each-concurrently.ts';

type Steps<Step extends string> = Partial<Record<Step, number>>;

/** Work of one kind that a sweep moves on. */
export type Due<T, Step extends string> = {
  /** In the log and in faults, such as `jobs`. */
  name: string;
  /** At most `limit` that are due. Eventually consistent: some may have been moved on. */
  list: (limit: number) => Promise<readonly T[]>;
  idOf: (each: T) => string;
  /** Returns the steps that were taken, for the log. Safe beside workers and other sweeps. */
  moveOn: (each: T, signal: AbortSignal) => Promise<Steps<Step> | undefined>;
  /** At the same time. */
  concurrency: number;
};

const PAGE = 100;

/** Handles each due item once. A fault in one delays no other; all faults are thrown at the end. */
export async function sweepDue<T, Step extends string>(
  { name, list, idOf, moveOn, concurrency }: Due<T, Step>,
  log: Log,
  signal: AbortSignal,
): Promise<Steps<Step>> {
  const steps: Steps<Step> = {};
  const seen = new Set<string>();
  const faults: unknown[] = [];
  while (!signal.aborted) {
    const fresh = (await list(PAGE + seen.size)).filter((each) => !seen.has(idOf(each)));
    if (fresh.length === 0) break;
    for (const each of fresh) seen.add(idOf(each));
    await forEachConcurrently(concurrency, fresh, async (each) => {
      if (signal.aborted) return;
      const taken = await moveOn(each, signal).catch((error: unknown) => void faults.push(error));
      for (const step of taken ? keysOf(taken) : []) steps[step] = (steps[step] ?? 0) + (taken?.[step] ?? 0);
    });
  }
  if (faults.length === 0) {
    log.info('sweep', { of: name, ...steps });
    return steps;
  }
  const fault = new AggregateError(faults, `${faults.length} ${name} could not be moved on`);
  log.error('sweep', { of: name, ...steps, fault: described(fault) });
  throw fault;
}

const keysOf = <Step extends string>(steps: Steps<Step>) => Object.keys(steps) as Step[];
