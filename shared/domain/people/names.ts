const MAX_NAME = 60;
/** RFC 5321 section 4.5.3.1.3. */
const MAX_EMAIL = 254;
// Excludes letters of other scripts that look like these.
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
/** Control characters, including the ones for the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Normalizes an address. Undefined if it is invalid. */
export function parseEmail(typed: string): string | undefined {
  const email = typed.trim().toLowerCase();
  return email.length <= MAX_EMAIL && EMAIL.test(email) ? email : undefined;
}

/** Why a name for a key or a person is refused; undefined if it is accepted. */
export function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'Enter a name.';
  if (name.length > MAX_NAME) return `Use at most ${MAX_NAME} characters.`;
  if (UNSEEN.test(name)) return 'This name contains invisible characters. Remove them.';
  return undefined;
}
