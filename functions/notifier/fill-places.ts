import type { Effects } from '../../shared/ports.ts';

/** Attempts in progress in one invocation: as many as a batch has messages. */
const PLACES = 10;
/** A batch takes less than this unless a receiver is slow. */
const QUICK_MS = 500;

type Needs = Pick<Effects, 'inbox' | 'now' | 'wait'>;

export type Notice = { id: string; body: string };

type Options = {
  lastStart: Date;
  /** Whether the message was handled, and may be removed. Must not reject. */
  handle: (notice: Notice) => Promise<boolean>;
};

/**
 * Ends when this work and what was added to it has ended. An invocation ends with its slowest attempt, and
 * there are few of them: so its free places take messages from the queue while it waits.
 */
export async function fillPlaces(
  fx: Needs,
  batch: readonly Promise<unknown>[],
  { lastStart, handle }: Options,
): Promise<void> {
  const inProgress = new Set<Promise<unknown>>();
  const add = (work: Promise<unknown>) => {
    const ended = work.finally(() => inProgress.delete(ended));
    inProgress.add(ended);
  };
  for (const work of batch) add(work);
  await Promise.race([Promise.all(inProgress), fx.wait(QUICK_MS)]);
  while (inProgress.size > 0) {
    if (inProgress.size >= PLACES || fx.now() >= lastStart) {
      await Promise.race(inProgress);
      continue;
    }
    for (const notice of await received(fx, PLACES - inProgress.size)) {
      const removed = async () => (await handle(notice)) && fx.inbox.remove(notice.receipt);
      add(removed().catch(() => undefined));
    }
  }
}

/** Without an answer, the attempts in progress go on. */
const received = ({ inbox, wait }: Needs, most: number) =>
  inbox.receive(most).catch(async () => {
    await wait(QUICK_MS);
    return [];
  });
