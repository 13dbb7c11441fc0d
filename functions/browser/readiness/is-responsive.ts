import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';

/** A script that runs longer than this at the end is terminated, so that the page can be read. */
const HUNG_MS = 500;

/** False if a script ran in a loop and had to be terminated. */
export async function isResponsive(session: CDPSession, timeoutMs = HUNG_MS): Promise<boolean> {
  // A script in a loop blocks this call; `Performance.getMetrics` would interrupt it.
  const answer = await Promise.race([session.send('Runtime.getIsolateId'), setTimeout(timeoutMs)]);
  if (answer) return true;
  await Promise.all([
    session.send('Emulation.setVirtualTimePolicy', { policy: 'pause' }),
    session.send('Runtime.terminateExecution'),
  ]);
  return false;
}
