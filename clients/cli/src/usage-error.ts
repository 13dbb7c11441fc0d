/** The command was called wrongly: it exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
