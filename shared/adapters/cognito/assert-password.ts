import { passwordFault } from '../../domain/people/password.ts';
import { AppError } from '../../errors.ts';

/** Cognito's policy is the same, but its emulator has none. */
export function assertPassword(password: string, email: string): void {
  const message = passwordFault(password, email);
  if (message !== undefined)
    throw new AppError('invalid_request', { message, fields: { param: 'password' } });
}
