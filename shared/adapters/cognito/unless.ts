import { AppError } from '../../errors.ts';

/** The names of Cognito and its emulator for a wrong password or code. Callers see no difference. */
export const REFUSED = [
  'AliasExistsException',
  'CodeMismatchException',
  'ExpiredCodeException',
  'InvalidParameterException',
  'InvalidPasswordException',
  'LimitExceededException',
  'NotAuthorizedException',
  'PasswordResetRequiredException',
  'TooManyFailedAttemptsException',
  'UserNotFoundException',
];

const SATURATED = ['TooManyRequestsException', 'LimitExceededException', 'TimeoutError'];

/** Undefined if the call fails with one of these names. Cognito's throttling becomes `busy`. */
export async function unless<T>(names: readonly string[], call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isNamed(error, names)) return undefined;
    if (isNamed(error, SATURATED)) throw new AppError('busy', { retryAfter: 2, cause: error });
    throw error;
  }
}

export const isNamed = (error: unknown, names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name);
