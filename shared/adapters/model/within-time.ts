import { Script, createContext } from 'node:vm';
import { AppError } from '../../errors.ts';
import type { ModelEffects } from '../../ports/scrape.ts';

const MAX_MS = 2_000;
const CALL = new Script('work()');

/**
 * Ends work that takes longer, even within a regular expression, which nothing else can interrupt.
 * https://nodejs.org/api/vm.html#scriptrunincontextcontextifiedobject-options
 */
export function withinTime(maxMs = MAX_MS): ModelEffects['withinTime'] {
  const sandbox = { work: (): void => undefined };
  const context = createContext(sandbox);
  return <T>(work: () => T): T => {
    let done: { value: T } | undefined;
    sandbox.work = () => void (done = { value: work() });
    try {
      CALL.runInContext(context, { timeout: maxMs });
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
    if (done) return done.value;
    throw new AppError('extraction_invalid', {
      message: 'Checking values by extract_schema takes too long. Simplify its patterns.',
    });
  };
}

/** It may be of another realm, whose Error is not this one. */
const isTimeout = (error: unknown) =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
