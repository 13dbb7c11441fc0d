/** Runs what it is given one after the other, in the order of the calls. What fails keeps nobody waiting. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let before = Promise.resolve();
  return (work) => {
    const result = before.then(work);
    const forget = () => undefined;
    before = result.then(forget, forget);
    return result;
  };
}
