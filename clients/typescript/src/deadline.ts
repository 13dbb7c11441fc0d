/** A signal that aborts with the caller's own, or once the time is over. */
export type Deadline = { signal: AbortSignal; isOver: () => boolean; clear: () => void };

export function deadlineAfter(milliseconds: number, callers: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const abort = () => controller.abort(callers?.reason);
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, milliseconds);
  callers?.addEventListener('abort', abort, { once: true });
  if (callers?.aborted) abort();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    clear: () => {
      clearTimeout(timer);
      callers?.removeEventListener('abort', abort);
    },
  };
}

/** Rejects with the reason of `signal` if that aborts first. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const deadline = deadlineAfter(milliseconds, signal);
  if (!deadline.signal.aborted)
    await new Promise((resolve) => {
      deadline.signal.addEventListener('abort', resolve, { once: true });
    });
  deadline.clear();
  signal?.throwIfAborted();
}
