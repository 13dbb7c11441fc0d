/** The first text that is more than white space, which is collapsed in it. */
export function first(...texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    const tidy = text?.replace(/\s+/g, ' ').trim();
    if (tidy) return tidy;
  }
  return undefined;
}
