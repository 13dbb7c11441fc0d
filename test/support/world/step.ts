/** Every effect in memory takes a turn of the event loop, as a real one does, so that races can happen. */
export async function step<T>(effect: () => T): Promise<T> {
  await Promise.resolve();
  return effect();
}
