import type { AdmissionRequest } from '../domain/accounts/credits/admission.ts';
import { type ErrorCode, toAppError } from '../errors.ts';
import type { Meter } from './meter.ts';

const SHORT: readonly ErrorCode[] = ['insufficient_credits', 'key_not_allowed'];

/**
 * Admits a request with the first of some credits, the most first, that the balance and the cap of the key
 * have, and returns those. Throws what `meter.admit` throws, of the last.
 */
export async function admitMost(
  meter: Pick<Meter, 'admit'>,
  costs: readonly number[],
  request: Omit<AdmissionRequest, 'bucket' | 'credits'>,
): Promise<number> {
  const [credits = 0, ...less] = costs;
  try {
    await meter.admit({ ...request, credits });
    return credits;
  } catch (error) {
    if (less.length === 0 || !SHORT.includes(toAppError(error).code)) throw error;
    return admitMost(meter, less, request);
  }
}
