import { isJsonObject } from '../../../shared/contract/json-object.ts';
import type { Fact, Responded } from '../page/fact.ts';

/** Longer ones are content. */
const MAX_LENGTH = 2_000;
/** Of one place, unless they say that there is nothing yet. */
const MAX_READ = 2;
const IS_DONE = /^(is|has)?[-_]?(ready|done|completed?|finished|available)$/i;
const STATE = /^(state|status|phase)$/i;
const NOT_YET =
  /^(pending|processing|queued|waiting|preparing|generating|computing|(in|not)[-_ ]?(progress|ready))$/i;

/** JSON in which a server says that it has no answer yet. */
export function saysNotYet(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  try {
    const said: unknown = JSON.parse(text);
    return [said, ...valuesOf(said)].some((part) => entriesOf(part).some(isNotYet));
  } catch {
    return false;
  }
}

const entriesOf = (part: unknown) => (isJsonObject(part) ? Object.entries(part) : []);
const valuesOf = (part: unknown) => entriesOf(part).map(([, value]) => value);
const isNotYet = ([name, value]: [string, unknown]) =>
  (value === false && IS_DONE.test(name)) ||
  (typeof value === 'string' && STATE.test(name) && NOT_YET.test(value));

/** What servers say in short answers: the first of a place is read, and more if the page asks again. */
export type PollAnswers = {
  see: (fact: Fact) => void;
  responded: (fact: Responded, place: string) => void;
  repeats: (place: string) => void;
  /** Bodies to be read. */
  unread: () => string[];
  judge: (id: string, isPending: boolean) => void;
  /** The page has repeated a request, whose answer is not read. */
  areDue: () => boolean;
  /** A server has said that it has nothing yet. */
  arePending: () => boolean;
  clear: () => void;
};

export function pollAnswers(): PollAnswers {
  const coming = new Map<string, { place: string; bytes: number }>();
  const [last, reads] = [new Map<string, string>(), new Map<string, number>()];
  const [repeated, pending] = [new Set<string>(), new Set<string>()];
  const isDue = (place: string) =>
    repeated.has(place) && (pending.has(place) || (reads.get(place) ?? 0) < MAX_READ);
  const isUnread = (place: string) => !reads.has(place) || isDue(place);
  function ended(id: string) {
    const body = coming.get(id);
    coming.delete(id);
    if (body && body.bytes <= MAX_LENGTH) last.set(body.place, id);
  }
  return {
    see(fact) {
      const body = fact.what === 'received' ? coming.get(fact.id) : undefined;
      if (body && fact.what === 'received') body.bytes += fact.bytes;
      if (fact.what === 'ended') ended(fact.id);
    },
    responded: ({ id, isAtomic }, place) => void (isAtomic && coming.set(id, { place, bytes: 0 })),
    repeats: (place) => void repeated.add(place),
    unread: () => [...last].filter(([place]) => isUnread(place)).map(([, id]) => id),
    judge(id, isPending) {
      const [place] = [...last].find(([, known]) => known === id) ?? [];
      if (place === undefined) return;
      last.delete(place);
      reads.set(place, (reads.get(place) ?? 0) + 1);
      if (isPending) pending.add(place);
      else pending.delete(place);
    },
    areDue: () => last.keys().some(isDue),
    arePending: () => pending.size > 0,
    clear: () => [coming, last, reads, repeated, pending].forEach((known) => known.clear()),
  };
}
