const MAX_NAME = 60;
/** RFC 5321 section 4.5.3.1.3. */
const MAX_EMAIL = 254;
// Without letters of other scripts, which look like these.
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
/** Control characters, and those that turn the direction of the text after them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** An address in its one spelling. Undefined for what is none. */
export function parseEmail(typed: string): string | undefined {
  const email = typed.trim().toLowerCase();
  return email.length <= MAX_EMAIL && EMAIL.test(email) ? email : undefined;
}

/** Why a key or a person may not be called so; undefined if they may. */
export function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'Enter a name.';
  if (name.length > MAX_NAME) return `Use at most ${MAX_NAME} characters.`;
  if (UNSEEN.test(name)) return 'This name has characters that cannot be seen. Leave them out.';
  return undefined;
}
