import type { CDPSession } from 'puppeteer-core';

/** Navigates to a URL. `fail` gets the `net::ERR_…` of a navigation that failed. */
export function navigation(
  session: CDPSession,
  hasAnswered: () => boolean,
  fail: (error: string) => void,
): (url: string) => Promise<void> {
  let turns = 0;
  return async (url) => {
    const turn = (turns += 1);
    const { errorText } = await session.send('Page.navigate', { url });
    if (errorText && isFailure(errorText, hasAnswered() || turn < turns)) fail(errorText);
  };
}

/** Taking a response out of Chromium aborts the navigation; if nothing responded, the abort is a failure. */
const isFailure = (errorText: string, hasAnswered: boolean) =>
  errorText !== 'net::ERR_ABORTED' || !hasAnswered;
