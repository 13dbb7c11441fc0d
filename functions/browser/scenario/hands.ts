import type { CDPSession } from 'puppeteer-core';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { Network } from '../page/network.ts';
import type { PageClock } from '../clock/page-clock.ts';
import type { Activity } from '../readiness/watch-activity.ts';
import type { Tab } from '../page/tab.ts';
import { openPace, type Pace } from '../clock/page-time.ts';
import { type Sightings, watchPage } from './sightings.ts';
import { openWorlds, type Worlds } from '../page/isolated-worlds.ts';

/** What the actions of a scenario work with. */
export type Hands = {
  session: CDPSession;
  mainFrame: string;
  activity: Activity;
  /** The page may navigate now, which is no redirect. */
  expectMove: () => void;
  /** Of the page's document, as its response named it. */
  documentUrl: () => string;
  pace: Pace;
  worlds: Worlds;
  sightings: Sightings;
  /** Aborts when the scenario's time is over. */
  signal: AbortSignal;
  /** A command to the browser, while the page's clock and frames continue. */
  send: CDPSession['send'];
  /** The same for a command that needs frames with pixels. */
  draw: CDPSession['send'];
};

type Needs = {
  clock: PageClock;
  activity: Activity;
  network: Pick<Network, 'on'>;
  expectMove: () => void;
  documentUrl: () => string;
  signal: AbortSignal;
  isVirtual: boolean;
};

export function openHands({ session, mainFrame }: Tab, needs: Needs): Hands {
  const pace = openPace(needs);
  const { clock, activity, network, expectMove, documentUrl, signal } = needs;
  const send: CDPSession['send'] = (...command) => untilAborted(session.send(...command), signal);
  return {
    session,
    mainFrame,
    activity,
    expectMove,
    documentUrl,
    pace,
    worlds: openWorlds(session, network),
    sightings: watchPage(session, network, mainFrame),
    signal,
    send,
    draw(...command) {
      clock.startDrawing();
      return clock.during(send(...command));
    },
  };
}
