import { deadline } from '../../../shared/time/deadline.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { PageClock } from '../clock/page-clock.ts';
import type { DocumentReader } from '../page/document-reader.ts';
import { UNKNOWN } from './observation.ts';
import { LOADING, type Readiness, TIMEOUT_MS } from './readiness.ts';
import { transition } from './transitions.ts';
import type { Activity } from './watch-activity.ts';

/** Between two looks at a document that loads. */
const LOOK_MS = 100;

type LoadingPage = { clock: PageClock; activity: Activity; reader: DocumentReader };

/** Still `loading` if the document has not loaded in time. */
export async function loadDocument(page: LoadingPage, signal: AbortSignal): Promise<Readiness> {
  const { clock, activity, reader } = page;
  using limit = deadline(TIMEOUT_MS.loading, signal);
  let readiness = LOADING;
  while (readiness.state === 'loading' && !limit.signal.aborted) {
    await clock.during(untilLoaded(activity, limit.signal));
    const isLoaded = activity.isLoaded();
    const isStatic = isLoaded && (await untilAborted(reader.isStatic(), signal));
    const isAbandoned = await untilAborted(hasBeenAbandoned(page), signal);
    readiness = transition(readiness, { ...UNKNOWN, isLoaded, isAbandoned, isStatic });
  }
  signal.throwIfAborted();
  return readiness;
}

/** A style sheet that never comes keeps a document from being parsed, which may be there all the same. */
async function hasBeenAbandoned({ activity, reader }: LoadingPage): Promise<boolean> {
  if (activity.isLoaded() || !activity.isAbandoned('showing')) return false;
  const { shows } = await reader.screen();
  return activity.isAbandoned(shows) && (activity.isParsed() || shows === 'showing');
}

/** Or for a while: no event reports that nobody sends any more. */
async function untilLoaded(activity: Activity, signal: AbortSignal): Promise<void> {
  using soon = deadline(LOOK_MS, signal);
  await activity.until(activity.isLoaded, soon.signal).catch(() => undefined);
}
