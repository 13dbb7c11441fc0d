import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import type { RenderState } from '../../../shared/contract/scrape/page.ts';
import { AppError } from '../../../shared/errors.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { openPageTime } from '../clock/page-time.ts';
import { SCROLLER } from './scroll.ts';
import { evaluateIsolated, openIsolatedWorlds, type PageAccess } from '../page/isolated-worlds.ts';
import type { Network } from '../page/network.ts';
import { walkDown } from '../capture/whole-page.ts';
import type { LoadedPage } from '../readiness/settle.ts';

/** A feed that never ends is left after this. */
const WALK_MS = 30_000;
/** Of the page's time, at its end: scroll handlers are debounced, and begin to load after that. */
const LINGER_MS = 500;
/** A page that polls is always fetching. */
const FETCH_MS = 5_000;
const LOOK_MS = 50;
/** A page may wait before it loads more, and a busy machine draw its frame late. */
const LOOKS = 3;

type Needs = { page: LoadedPage; network: Pick<Network, 'on'>; waitsSignal: AbortSignal };
type Size = { height: number; viewport: number };

/** Walks down the page, and returns to its top. `partial` if the time for waits ends first. */
export async function scrollPage(
  { waitUntil }: Pick<RenderRequest, 'waitUntil'>,
  { page, network, waitsSignal }: Needs,
): Promise<RenderState> {
  using limit = deadline(WALK_MS, waitsSignal);
  const { session, mainFrame } = page.browser.tab;
  const worlds = openIsolatedWorlds(session, network);
  const accessUntil = (signal: AbortSignal): PageAccess => ({
    mainFrame,
    worlds: { ...worlds, of: (frameId) => untilAborted(worlds.of(frameId), signal) },
    send: (...command) => untilAborted(session.send(...command), signal),
  });
  try {
    await down(page, accessUntil(limit.signal), { signal: limit.signal, isVirtual: waitUntil === 'settled' });
  } catch (error) {
    // A page that has gone to another document is waited for next.
    if (!limit.signal.aborted && (error instanceof AppError || session.detached)) throw error;
  }
  await scrollTo(accessUntil(waitsSignal), 0).catch(() => undefined);
  return waitsSignal.aborted ? 'partial' : 'complete';
}

const scrollTo = (access: PageAccess, top: number) =>
  evaluateIsolated(access, `${SCROLLER}.scrollTo(${top})`);

async function down(
  { clock, activity }: LoadedPage,
  access: PageAccess,
  { signal, isVirtual }: { signal: AbortSignal; isVirtual: boolean },
): Promise<void> {
  const pageTime = openPageTime({ clock, activity, signal, isVirtual });
  const extent = () => evaluateIsolated(access, `${SCROLLER}.extent()`) as Promise<Size>;
  await walkDown({
    pageTime,
    scrollTo: (top) => scrollTo(access, top),
    extent,
    async linger(end) {
      let height = end;
      for (let look = 0; look < LOOKS && height <= end; look += 1) {
        await scrollTo(access, end);
        await pageTime.pass(LINGER_MS);
        for (let waited = 0; activity.isFetching() && waited < FETCH_MS; waited += LOOK_MS)
          await pageTime.sleep(LOOK_MS);
        await pageTime.pass(LOOK_MS);
        height = (await extent()).height;
      }
      return height;
    },
  });
}
