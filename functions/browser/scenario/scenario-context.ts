import type { CDPSession } from 'puppeteer-core';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { Network } from '../page/network.ts';
import type { PageClock } from '../clock/page-clock.ts';
import type { Activity } from '../readiness/watch-activity.ts';
import type { Tab } from '../page/tab.ts';
import { openPageTime, type PageTime } from '../clock/page-time.ts';
import { type PageEvents, watchPageEvents } from './page-events.ts';
import { openIsolatedWorlds, type IsolatedWorlds } from '../page/isolated-worlds.ts';

/** What the actions of a scenario work with. */
export type ScenarioContext = {
  session: CDPSession;
  mainFrame: string;
  activity: Activity;
  /** From now on a navigation does not count as a redirect. */
  expectNavigation: () => void;
  /** Of the page's document, as its response named it. */
  documentUrl: () => string;
  pageTime: PageTime;
  worlds: IsolatedWorlds;
  pageEvents: PageEvents;
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
  expectNavigation: () => void;
  documentUrl: () => string;
  signal: AbortSignal;
  isVirtual: boolean;
};

export function openScenarioContext({ session, mainFrame }: Tab, needs: Needs): ScenarioContext {
  const pageTime = openPageTime(needs);
  const { clock, activity, network, expectNavigation, documentUrl, signal } = needs;
  const send: CDPSession['send'] = (...command) => untilAborted(session.send(...command), signal);
  return {
    session,
    mainFrame,
    activity,
    expectNavigation,
    documentUrl,
    pageTime,
    worlds: openIsolatedWorlds(session, network),
    pageEvents: watchPageEvents(session, network, mainFrame),
    signal,
    send,
    draw(...command) {
      clock.startDrawing();
      return clock.during(send(...command));
    },
  };
}
