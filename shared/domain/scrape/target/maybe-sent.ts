import type { TimeoutPhase } from '../../../contract/error-body.ts';
import { AppError, catalogue } from '../../../errors.ts';

/** Phases in which no byte of a request has been sent yet. */
const BEFORE_SENDING: readonly TimeoutPhase[] = ['dns', 'connect', 'tls'];

export function isUnsentIn(phase: TimeoutPhase): boolean {
  return BEFORE_SENDING.includes(phase);
}

/**
 * The fault of a request that must not be repeated and may have been sent. A fault that invites callers and
 * jobs to try again becomes `maybe_sent`; others stay.
 */
export function maybeSent(fault: unknown, method: string): unknown {
  if (!(fault instanceof AppError) || !catalogue[fault.code].retryable) return fault;
  return new AppError('maybe_sent', {
    message: `The target may have received this ${method}, so it was not sent again: ${fault.message}`,
    fields: { ...fault.fields, cause: fault.code },
    cause: fault,
  });
}
