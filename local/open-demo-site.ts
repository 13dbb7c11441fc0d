import { randomInt } from 'node:crypto';
import { startDemoSite } from './demo-site.ts';
import type { KeptState } from './kept-state.ts';
import type { Listening } from './listen.ts';

/** Below the ports that Linux gives to connections, which could hold it when the next run wants it. */
const KEPT_PORTS = [20_000, 32_768] as const;

/** On the port of the last run if it is free, because kept jobs name it. */
export async function openDemoSite({ demo }: KeptState, report: (line: string) => void): Promise<Listening> {
  if (demo === undefined) return onNewPort();
  return startDemoSite(demo.site_port).catch(() => {
    report(`Port ${demo.site_port} is in use now, so the demo site moves to another`);
    return onNewPort();
  });
}

function onNewPort(): Promise<Listening> {
  return startDemoSite(randomInt(...KEPT_PORTS)).catch(() => startDemoSite());
}
