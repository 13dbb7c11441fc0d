import { AppError } from '../../errors.ts';

/** The deadline of a scrape that ends a call of a model, unless its caller ended it for another reason. */
export function modelTimeout(cause: unknown): AppError {
  if (cause instanceof AppError && cause.code !== 'timeout') return cause;
  return new AppError('timeout', { cause, fields: { phase: 'model' } });
}
