import type { RequestListener } from 'node:http';
import { inject } from 'vitest';
import { isolates } from '../../../functions/browser/launch/isolates.ts';
import { anyHost } from '../servers/any-host.ts';
import { targetServer, tlsServer } from '../servers/target-server.ts';
import { trustingChromium } from './trusting-chromium.ts';

/** Browsers for which this server is behind every public name, with http and with https. */
export async function browsersOfAnySite(handler: RequestListener) {
  await using opened = new AsyncDisposableStack();
  const secure = opened.use(await tlsServer(handler));
  const plain = opened.use(await targetServer(handler));
  const web = opened.use(await anyHost(plain.port, secure.port));
  const chromium = opened.use(await trustingChromium());
  const browsers = opened.use(
    isolates({ chromiumDir: chromium.folder, policy: web.policy, processes: inject('processes') }),
  );
  const running = opened.move();
  return { browsers, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
