/** Names as a sentence lists them: `dev or prod`. */
export function oneOf(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
