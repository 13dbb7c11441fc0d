/** Where tasks wait for takers, and takers for tasks. */
type HandOver<T> = {
  /** Gives the task to who waits, else it waits itself. */
  give: (task: T) => void;
  /** Puts a task that was taken in vain before all others. */
  giveBack: (task: T) => void;
  taker: () => Taker<T>;
  /** The task that has waited longest is nobody's any more. */
  withdraw: () => T | undefined;
  tasks: () => number;
  takers: () => number;
};

type Taker<T> = {
  /** The next task, when there is one. Undefined once the taker has left. */
  take: () => Promise<T | undefined>;
  leave: () => void;
};

export function openHandOver<T>(): HandOver<T> {
  const tasks: T[] = [];
  const takers: ((task: T | undefined) => void)[] = [];
  return {
    give: (task) => {
      // The one that was busy last is the warmest.
      const take = takers.pop();
      if (take) take(task);
      else tasks.push(task);
    },
    giveBack: (task) => void tasks.unshift(task),
    taker: () => {
      let hasLeft = false;
      let waiting: ((task: T | undefined) => void) | undefined;
      return {
        take: async () => {
          if (hasLeft || tasks.length > 0) return hasLeft ? undefined : tasks.shift();
          const { promise, resolve } = Promise.withResolvers<T | undefined>();
          takers.push((waiting = resolve));
          return promise;
        },
        leave: () => {
          hasLeft = true;
          const index = takers.findIndex((take) => take === waiting);
          if (index === -1) return;
          takers.splice(index, 1);
          waiting?.(undefined);
        },
      };
    },
    withdraw: () => tasks.shift(),
    tasks: () => tasks.length,
    takers: () => takers.length,
  };
}
