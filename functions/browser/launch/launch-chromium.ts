import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import puppeteer, { type Browser } from 'puppeteer-core';
import { chromiumFlags, type FlagOptions } from './chromium-flags.ts';
import { preparePage } from '../page/prepare-page.ts';
import { createProfile, removeProfile } from './create-profile.ts';
import type { Tab } from '../page/tab.ts';
import { succeedsWithin } from '../../../shared/time/succeeds-within.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';

const LAUNCH_TIMEOUT_MS = 15_000;
const WATCH_MS = 100;
const CLOSE_TIMEOUT_MS = 500;
/** A thousand threads need more than a second on a busy machine; the function may run for five more. */
const DEATH_TIMEOUT_MS = 4_000;
const EXIT_TIMEOUT_MS = 500;
const STDERR = 'stderr.txt';
const LAST_WORDS = 1_500;

export type Chromium = {
  pid: number;
  tab: Tab;
  gone: AbortSignal;
  /** The end of its stderr. */
  wrote: () => Promise<string>;
  /** How it ended, for the log. */
  end: () => Promise<Error>;
  /** False if it does not respond within `ms`: after a thaw it may be dead or unresponsive. */
  answers: (ms: number) => Promise<boolean>;
  /** Closes it, or kills it after a timeout, and removes its profile. */
  close: () => Promise<void>;
  /** Kills its whole process group and removes its profile. Throws if a process survives SIGKILL. */
  kill: () => Promise<void>;
};

export type LaunchOptions = Omit<FlagOptions, 'profile'> & {
  chromiumDir: string;
  timeoutMs?: number;
  /** Ends the launch early once this stands in stderr. */
  fatal?: RegExp;
};

/** RLIMIT_DATA, of which about 0.7 GiB stay unused: it leaves 0.3 GiB of the function's memory to Node. */
const WRITABLE_KIB = 2_300_000;

/** No core dumps of 300 MB; stderr for a crash report; the OOM killer ends Chromium before Node. */
const SHELL = `ulimit -c 0; ulimit -d ${WRITABLE_KIB}; echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec "$0" "$@" 2>"$HOME/${STDERR}"`;

export async function launchChromium({
  chromiumDir,
  timeoutMs = LAUNCH_TIMEOUT_MS,
  fatal,
  ...options
}: LaunchOptions): Promise<Chromium> {
  const { path, env } = await createProfile(chromiumDir);
  // Kills a browser that starts but never responds, which puppeteer's own timeout does not.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const watching = fatal && abortAt(fatal, path, late);
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
      waitForInitialPage: false,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    // If the browser dies now, puppeteer would wait forever.
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
    clearInterval(watching);
  }
}

/** Ends a launch whose stderr says that it failed: Chromium may continue without a word. */
function abortAt(fatal: RegExp, profile: string, late: AbortController): NodeJS.Timeout {
  const look = async () => {
    if (fatal.test(await lastWords(profile))) late.abort();
  };
  return setInterval(() => void look(), WATCH_MS);
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
      wrote: () => lastWords(profile),
      end: () => endOf(leader),
      answers: (ms) => succeedsWithin(browser.version(), ms),
      async close() {
        // A browser that exits by itself reaps its children; killed ones may stay as zombies.
        await succeedsWithin(browser.close(), CLOSE_TIMEOUT_MS);
        await destroy();
      },
      kill: destroy,
    };
  } catch (error) {
    // The caller still reads its profile.
    await killGroup(leader);
    throw error;
  }
}

/** Its connection closes a moment before its exit is noticed. */
async function endOf(leader: ChildProcess): Promise<Error> {
  if (leader.exitCode === null && leader.signalCode === null)
    await once(leader, 'exit', { signal: AbortSignal.timeout(EXIT_TIMEOUT_MS) }).catch(() => undefined);
  const end = leader.signalCode ?? leader.exitCode;
  return new Error(end === null ? 'Chromium closed its connection.' : `Chromium ended with ${end}.`);
}

async function killGroup(leader: ChildProcess): Promise<void> {
  try {
    kill(-Number(leader.pid), 'SIGKILL');
  } catch {
    // The group has already ended.
  }
  if (leader.exitCode === null && leader.signalCode === null) {
    await once(leader, 'exit', { signal: AbortSignal.timeout(DEATH_TIMEOUT_MS) });
  }
}
