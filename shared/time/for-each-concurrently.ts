/** Runs a task for each entry, so many at once. Ends early, with the first fault, if one fails. */
export async function forEachConcurrently<T>(
  limit: number,
  list: Iterable<T>,
  task: (each: T) => Promise<unknown>,
): Promise<void> {
  const left = list[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await task(next.value);
  };
  await Promise.all(Array.from({ length: limit }, work));
}
