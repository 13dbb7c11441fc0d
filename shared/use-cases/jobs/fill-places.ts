import type { Effects } from '../../ports/effects.ts';
import type { Inbox, QueueMessage } from '../../ports/jobs.ts';
import { endsWithin } from '../../time/ends-within.ts';

/** Places of one invocation, which bound its memory: the size of a batch of SQS messages. */
const PLACES = 10;
const RETRY_MS = 500;

type Needs = Pick<Effects, 'now'> & { inbox: Inbox };

/** Places of one invocation. Each is a message in progress, or a line that runs beside others of its turn. */
export type Places = {
  free: () => number;
  /** Takes one, even if none is free: a message that was received must be handled. */
  take: () => void;
  leave: () => void;
};

export function openPlaces(): Places {
  let taken = 0;
  return { free: () => PLACES - taken, take: () => void taken++, leave: () => void taken-- };
}

type Options = {
  places: Places;
  /** No message is taken from the queue later, so that each has its whole time. */
  lastStart: Date;
  /** A batch takes less than this, unless something outside is slow. */
  quickMs: number;
  /** Whether the message was handled, and may be removed. Must not reject. */
  handle: (message: QueueMessage) => Promise<boolean>;
};

/**
 * Ends when this work and what was added to it has ended. An invocation ends with its slowest message, and
 * there are few of them: so its free places take messages from the queue while it waits.
 */
export async function fillPlaces(
  fx: Needs,
  batch: readonly Promise<unknown>[],
  { places, lastStart, quickMs, handle }: Options,
): Promise<void> {
  const inProgress = new Set<Promise<unknown>>();
  const add = (work: Promise<unknown>) => {
    places.take();
    const ended = work.finally(() => {
      inProgress.delete(ended);
      places.leave();
    });
    inProgress.add(ended);
  };
  for (const work of batch) add(work);
  if (await endsWithin(Promise.all(inProgress), quickMs)) return;
  while (inProgress.size > 0) {
    if (places.free() <= 0 || fx.now() >= lastStart) {
      await endsWithin(Promise.race(inProgress), RETRY_MS);
      continue;
    }
    const messages = await fx.inbox.receive(places.free()).catch(() => undefined);
    // Without an answer, the work in progress continues.
    if (messages === undefined) await endsWithin(Promise.race(inProgress), RETRY_MS);
    for (const message of messages ?? []) {
      const removed = async () => (await handle(message)) && fx.inbox.remove(message.receiptHandle);
      add(removed().catch(() => undefined));
    }
  }
}
