import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { kill } from 'node:process';
import puppeteer, { type Browser } from 'puppeteer-core';
import { chromiumFlags } from './chromium-flags.ts';
import { preparePage } from '../page/prepare-page.ts';
import { createProfile, removeProfile } from './profile.ts';
import type { Tab } from '../tab.ts';

const LAUNCH_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 500;
const DEATH_TIMEOUT_MS = 2_000;

/** A browser with one blank page that is ready to go somewhere. */
export type Chromium = {
  /** The process id, which is also the id of its process group. */
  pid: number;
  tab: Tab;
  /** Aborts when the browser is gone. */
  gone: AbortSignal;
  /** True if it answers within `ms`: after a thaw it may be dead, or out of its mind. */
  answers: (ms: number) => Promise<boolean>;
  /** Asks it to close, and kills it if it does not at once. Removes its profile. */
  close: () => Promise<void>;
  /** Kills it and all its children now. Removes its profile. Throws if a process outlives SIGKILL. */
  kill: () => Promise<void>;
};

/** Starts a browser of its own profile whose every request goes to the proxy. */
export async function launchChromium(
  dir: string,
  proxyUrl: string,
  arePicturesLoaded: boolean,
): Promise<Chromium> {
  const { path, env } = await createProfile(dir);
  try {
    const browser = await puppeteer.launch({
      // A shell, for a crash must not write 300 MB of core dump into /tmp.
      executablePath: '/bin/sh',
      args: [
        '-c',
        'ulimit -c 0; exec "$0" "$@"',
        join(dir, 'chromium'),
        ...chromiumFlags(proxyUrl, path, arePicturesLoaded),
      ],
      ignoreDefaultArgs: true,
      pipe: true,
      env,
      timeout: LAUNCH_TIMEOUT_MS,
      defaultViewport: null,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const leader = browser.process();
    if (!leader) throw new Error('The browser has no process.');
    return await ready(browser, leader, path);
  } catch (error) {
    await removeProfile(path);
    throw error;
  }
}

async function ready(browser: Browser, leader: ChildProcess, profile: string): Promise<Chromium> {
  const gone = new AbortController();
  browser.once('disconnected', () => gone.abort());

  async function destroy() {
    await killGroup(leader);
    await removeProfile(profile);
  }
  try {
    return {
      pid: Number(leader.pid),
      tab: await preparePage(browser),
      gone: gone.signal,
      answers: (ms) => inTime(browser.version(), ms),
      async close() {
        // Only a browser that ends by itself reaps its children; killed ones stay as zombies where nobody else does.
        await inTime(browser.close(), CLOSE_TIMEOUT_MS);
        await destroy();
      },
      kill: destroy,
    };
  } catch (error) {
    await destroy();
    throw error;
  }
}

async function killGroup(leader: ChildProcess): Promise<void> {
  try {
    kill(-Number(leader.pid), 'SIGKILL');
  } catch {
    // Nobody is left.
  }
  if (leader.exitCode === null && leader.signalCode === null) {
    await once(leader, 'exit', { signal: AbortSignal.timeout(DEATH_TIMEOUT_MS) });
  }
}

/** True if the work was done, and done within `ms`. */
function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  work.then(
    () => resolve(true),
    () => resolve(false),
  );
  return promise.finally(() => clearTimeout(timer));
}
