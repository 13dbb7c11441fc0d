import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { chromiumFlags, FRAMES_ON_DEMAND } from '../../../functions/browser/launch/chromium-flags.ts';
import { createProfile, removeProfile } from '../../../functions/browser/launch/create-profile.ts';

/** The same Chromium and flags without a guard. Its contexts have renderers of their own. */
export async function unguardedBrowser(dir: string, change = (flags: string[]) => flags) {
  const { path, env } = await createProfile(dir);
  const flags = chromiumFlags({ proxyUrl: '', profile: path, processes: 'many' }).filter(
    (flag) => !/^--(proxy|host-resolver)/.test(flag) && !FRAMES_ON_DEMAND.includes(flag),
  );
  const browser = await puppeteer.launch({
    executablePath: join(dir, 'chromium'),
    args: change(flags),
    ignoreDefaultArgs: true,
    pipe: true,
    env,
    defaultViewport: null,
    waitForInitialPage: false,
  });
  return {
    newPage: () => browser.newPage(),
    createBrowserContext: () => browser.createBrowserContext(),
    close: async () => {
      await browser.close();
      await removeProfile(path);
    },
  };
}
