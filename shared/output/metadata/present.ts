/** Without what is absent or empty. */
export function present<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(
    ([, item]) => item !== undefined && !(Array.isArray(item) && item.length === 0),
  );
  return Object.fromEntries(entries) as T;
}
