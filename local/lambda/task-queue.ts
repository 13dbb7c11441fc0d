/** A queue in which tasks wait for takers, and takers for tasks. */
export type TaskQueue<T> = {
  give: (task: T) => void;
  /** Puts a task that its taker could not start back to the front. */
  giveBack: (task: T) => void;
  taker: () => Taker<T>;
  withdraw: () => T | undefined;
  tasks: () => number;
  takers: () => number;
};

type Taker<T> = {
  /** Resolves to the next task, or to undefined once the taker has left. */
  take: () => Promise<T | undefined>;
  leave: () => void;
};

export function openTaskQueue<T>(): TaskQueue<T> {
  const tasks: T[] = [];
  const takers: ((task: T | undefined) => void)[] = [];
  return {
    give: (task) => {
      // The taker that was busy last is the warmest.
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
