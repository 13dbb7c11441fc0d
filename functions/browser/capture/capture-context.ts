import type { CDPSession } from 'puppeteer-core';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { PageAccess } from '../page/isolated-worlds.ts';
import { openPageTime, type PageTime } from '../clock/page-time.ts';
import { openIsolatedWorlds } from '../page/isolated-worlds.ts';
import type { Network } from '../page/network.ts';
import type { LoadedPage } from '../readiness/settle.ts';
import { functionOf, pageScript } from '../page/page-script.ts';

const VIEW = pageScript('view');

export type Extent = { width: number; height: number; viewport: number };

/** The functions of `view.page.js`. */
type Calls = {
  scrollDown: (top: number) => void;
  showAll: () => void;
  isLoading: () => boolean;
  extent: () => Extent;
  stopAnimations: () => void;
  ignoreResize: () => void;
  lowerBars: (height: number) => void;
  raiseBars: () => void;
};

export type View = <Name extends keyof Calls>(
  name: Name,
  ...values: Parameters<Calls[Name]>
) => Promise<ReturnType<Calls[Name]>>;

/** What pictures are taken with. */
export type CaptureContext = PageAccess & {
  view: View;
  pageTime: PageTime;
  isFetching: () => boolean;
  /** Draws frames until the command is done, with the page's time at the pace of the wall clock. */
  draw: CDPSession['send'];
};

type Needs = { page: LoadedPage; network: Pick<Network, 'on'>; isVirtual: boolean; signal: AbortSignal };

export function openCaptureContext({ page, network, isVirtual, signal }: Needs): CaptureContext {
  const { clock, activity, browser } = page;
  const { session, mainFrame } = browser.tab;
  const worlds = openIsolatedWorlds(session, network);
  const send: CDPSession['send'] = (...command) => untilAborted(session.send(...command), signal);

  return {
    mainFrame,
    worlds,
    send,
    pageTime: openPageTime({ clock, activity, signal, isVirtual }),
    isFetching: activity.isFetching,
    draw: (...command) => clock.during(send(...command)),
    view: callView({ mainFrame, worlds, send }),
  };
}

/** Looks at the page, and prepares it, from a world that its scripts do not see. */
export function callView({ mainFrame, worlds, send }: PageAccess): View {
  return async (name, value?: number) => {
    const { result, exceptionDetails } = await send('Runtime.callFunctionOn', {
      functionDeclaration: functionOf(VIEW, name),
      executionContextId: await worlds.of(mainFrame),
      arguments: [{ value }],
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as never;
  };
}
