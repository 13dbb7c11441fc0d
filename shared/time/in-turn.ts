/** Runs tasks one at a time, in the order of the calls. A failed one does not block the next. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let before = Promise.resolve();
  return (work) => {
    const result = before.then(work);
    const forget = () => undefined;
    before = result.then(forget, forget);
    return result;
  };
}
