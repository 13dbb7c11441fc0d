import { COMMON_PASSWORDS } from './common-passwords.ts';

/** NIST SP 800-63B, 3.1.1.2: length counts, rules about kinds of characters do not. */
const [MIN_LENGTH, MAX_LENGTH] = [12, 256];

/** Why this password is refused; undefined if it is not. */
export function passwordFault(password: string, email: string): string | undefined {
  if (password.length < MIN_LENGTH) return `Use at least ${MIN_LENGTH} characters.`;
  if (password.length > MAX_LENGTH) return `Use at most ${MAX_LENGTH} characters.`;
  // Cognito's own rule.
  if (password !== password.trim()) return 'A password does not begin or end with a space.';
  if (COMMON_PASSWORDS.has(password.toLowerCase()) || isObvious(password.toLowerCase(), email))
    return 'This password is easy to guess. Choose another.';
  return undefined;
}

/** The person's own address, one character repeated, or a run such as 123456789012. */
function isObvious(password: string, email: string): boolean {
  const [name = ''] = email.split('@');
  const rest = password.replaceAll(email, '').replaceAll(name, '');
  const steps = Array.from({ length: password.length - 1 }, (_, index) => stepAt(password, index));
  return rest.length < 4 || RUNS.some((run) => steps.every((step) => run.includes(step)));
}

const stepAt = (text: string, index: number) => text.charCodeAt(index + 1) - text.charCodeAt(index);

/** From each character to the next; 0 comes after 9. */
const RUNS = [[0], [1, -9], [-1, 9]];
