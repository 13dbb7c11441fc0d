import { type AppError, catalogue } from '../../errors.ts';

/** Of a job, and of a line of a batch. */
export const MAX_ATTEMPTS = 3;

const FIRST_DELAY_SECONDS = 5;
const GROWTH = 4;
/** Whatever an endpoint of a model demands. */
const MAX_MODEL_DELAY_SECONDS = 300;

/** Seconds to wait after the given failed attempt (1 or more): 5, then 20. */
export function retryDelaySeconds(attempt: number): number {
  return FIRST_DELAY_SECONDS * GROWTH ** (attempt - 1);
}

/** Seconds until the attempt after this failure. */
export function secondsAfter({ code, retryAfter }: AppError, attempt: number): number {
  const delay = retryDelaySeconds(attempt);
  if (code === 'model_failed') return Math.min(Math.max(delay, retryAfter ?? 0), MAX_MODEL_DELAY_SECONDS);
  return (code === 'target_status' ? retryAfter : undefined) ?? delay;
}

/** Seconds, 5 to 14, between looks for a free slot or browser; `random` (0 to 1) spreads them. */
export function slotWaitSeconds(random: number): number {
  return 5 + Math.floor(random * 10);
}

type Tried = {
  attempt: number;
  retryOn?: readonly number[] | undefined;
  /** The target may receive the request twice. */
  isRepeatable: boolean;
};

/** Whether another attempt follows this failure: the error may pass, and attempts are left. */
export function mayRetry({ code, fields }: AppError, { attempt, retryOn, isRepeatable }: Tried): boolean {
  const isOfStatus = retryOn?.includes(Number(fields['target_status'])) ?? false;
  const isOfService = code === 'internal' && isRepeatable;
  return (catalogue[code].retryable || isOfStatus || isOfService) && attempt < MAX_ATTEMPTS;
}
