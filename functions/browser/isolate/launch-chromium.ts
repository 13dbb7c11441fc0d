import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import puppeteer, { type Browser } from 'puppeteer-core';
import { chromiumFlags, type FlagOptions } from './chromium-flags.ts';
import { preparePage } from '../page/prepare-page.ts';
import { createProfile, removeProfile } from './create-profile.ts';
import type { Tab } from '../tab.ts';
import { inTime } from '../../../shared/time/in-time.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';

const LAUNCH_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 500;
const DEATH_TIMEOUT_MS = 2_000;
/** In the browser's profile. */
const STDERR = 'stderr.txt';
/** Characters of it that are worth a line in the log. */
const LAST_WORDS = 1_500;

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

export type LaunchOptions = Omit<FlagOptions, 'profile'> & { chromiumDir: string; timeoutMs?: number };

/**
 * Address space that the browser may write to, in KiB. It never touches some 0.7 GiB of it, and code and shared memory
 * come on top: together they leave 0.3 GiB of the function's memory to Node. https://man7.org/linux/man-pages/man2/getrlimit.2.html (RLIMIT_DATA)
 */
const WRITABLE_KIB = 2_300_000;

/**
 * Runs in the shell that becomes the browser. A crash must not write 300 MB of core dump into /tmp, errors go to a file
 * that can be read when it is dead, and where memory ends the kernel is to choose the browser, not the function.
 */
const SHELL = `ulimit -c 0; ulimit -d ${WRITABLE_KIB}; echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec "$0" "$@" 2>"$HOME/${STDERR}"`;

/** Starts a browser of its own profile whose every request goes to the proxy. */
export async function launchChromium({
  chromiumDir,
  timeoutMs = LAUNCH_TIMEOUT_MS,
  ...options
}: LaunchOptions): Promise<Chromium> {
  const { path, env } = await createProfile(chromiumDir);
  // Kills it: puppeteer's own timeout ends the wait for a page, but not for a browser that starts and says nothing.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const launched = puppeteer.launch({
      executablePath: '/bin/sh',
      args: ['-c', SHELL, join(chromiumDir, 'chromium'), ...chromiumFlags({ ...options, profile: path })],
      ignoreDefaultArgs: true,
      pipe: true,
      env,
      signal: late.signal,
      timeout: timeoutMs,
      defaultViewport: null,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    // If it dies while puppeteer asks for its targets, puppeteer waits for ever.
    const browser = await untilAborted(launched, late.signal);
    const leader = browser.process();
    if (!leader) throw new Error('The browser has no process.');
    return await ready(browser, leader, path);
  } catch (cause) {
    const words = await lastWords(path);
    await removeProfile(path);
    throw new Error(`Chromium did not start. It wrote: ${words || 'nothing'}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function lastWords(profile: string): Promise<string> {
  const written = await readFile(join(profile, STDERR), 'utf8').catch(() => '');
  return written.trim().slice(-LAST_WORDS);
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
    // Its profile is still to be read.
    await killGroup(leader);
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
