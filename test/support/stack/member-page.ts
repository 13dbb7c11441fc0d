import type { Page } from 'puppeteer-core';
import { v7 } from 'uuid';
import type { Hands } from './hands.ts';
import { mailedCode } from './page-client.ts';
import { keyIn, PASSWORD } from '../world/visitor.ts';

export const bodyOf = async (page: Page) => String(await page.evaluate('document.body.innerText'));

/** From the form of a new account to the first key. */
export async function signUp(page: Page, { fill, follow }: Hands, localDir: string) {
  const email = `ada-${v7()}@example.com`;
  await fill(/^E-mail$/, email);
  await fill(/^Password$/, PASSWORD);
  await follow(/^Create account$/);
  const code = await mailedCode(localDir, email);
  await fill(/^Code$/, code);
  await follow(/^Confirm$/);
  return { email, code, key: keyIn(await page.content()) ?? '' };
}
