import type { KeyRestrictions, KeyRoute } from '../../contract/account.ts';
import { outputsOf } from '../../contract/output.ts';
import { AppError } from '../../errors.ts';
import type { CappedKey } from '../credits/admission.ts';

/** Throws `key_not_allowed` for routes that the key is not restricted to. */
export function assertRoute(restrictions: KeyRestrictions | undefined, route: KeyRoute): void {
  const allowed = restrictions?.routes;
  if (allowed === undefined || allowed.includes(route)) return;
  throw new AppError('key_not_allowed', {
    message: `This key may not call the routes of "${route}", only those of: ${allowed.join(', ')}.`,
  });
}

/** Throws `key_not_allowed` for formats that the key is not restricted to. */
export function assertFormats(
  restrictions: KeyRestrictions | undefined,
  request: Parameters<typeof outputsOf>[0],
): void {
  const allowed = restrictions?.formats;
  const refused = allowed && outputsOf(request).find((format) => !allowed.includes(format));
  if (refused === undefined) return;
  throw new AppError('key_not_allowed', {
    message: `This key may not request the format "${refused}", only: ${allowed?.join(', ')}.`,
  });
}

/** The cap of a key, for its admissions. */
export function cappedKey(id: string, restrictions: KeyRestrictions | undefined): CappedKey | undefined {
  const creditsPerDay = restrictions?.creditsPerDay;
  return creditsPerDay === undefined ? undefined : { id, creditsPerDay };
}
