type Conditions = {
  changed: () => void;
  until: (condition: () => boolean, signal: AbortSignal) => Promise<void>;
};

export function watchConditions(): Conditions {
  const watchers = new Set<() => void>();
  return {
    changed: () => watchers.forEach((look) => look()),
    until: (condition, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      const look = () => (condition() ? resolve(undefined) : undefined);
      const abort = () => reject(signal.reason as Error);
      watchers.add(look);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      look();
      return promise.finally(() => {
        watchers.delete(look);
        signal.removeEventListener('abort', abort);
      });
    },
  };
}
