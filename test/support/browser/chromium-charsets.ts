import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import { unpackChromium } from '../../../infra/constructs/unpack-chromium.ts';
import { unguardedBrowser } from './unguarded-browser.ts';

const TABS = 4;

/** Asks the deployed Chromium how it reads bytes that arrive as `text/html` without a charset. */
export async function openChromium() {
  const pages = new Map<string, Uint8Array>();
  const server = createServer(({ url = '' }, response) => {
    const bytes = pages.get(url);
    response.writeHead(bytes ? 200 : 404, { 'Content-Type': 'text/html' }).end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await unguardedBrowser(await unpackChromium());
  const tabs: Page[] = [];
  for (let tab = 0; tab < TABS; tab += 1) tabs.push(await browser.newPage());

  async function charsetOf(tab: Page, path: string, bytes: Uint8Array): Promise<string> {
    pages.set(path, bytes);
    await tab.goto(origin + path, { waitUntil: 'domcontentloaded' });
    pages.delete(path);
    const name = await tab.evaluate('document.characterSet');
    return String(name).toLowerCase();
  }
  return {
    version: ((await tabs[0]?.browser().version()) ?? '').split('/')[1] ?? '',
    /** In the order of the pages. */
    async charsetsOf(all: readonly Uint8Array[]): Promise<string[]> {
      const charsets: string[] = [];
      let next = 0;
      async function work(tab: Page): Promise<void> {
        for (let index = next++; index < all.length; index = next++)
          charsets[index] = await charsetOf(tab, `/${index}`, all[index] ?? new Uint8Array());
      }
      await Promise.all(tabs.map(work));
      return charsets;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
