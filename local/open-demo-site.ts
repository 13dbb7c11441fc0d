import { startDemoSite } from './demo-site.ts';
import type { KeptState } from './kept-state.ts';
import type { Listening } from './listen.ts';

/** On the port of the last run if it is free, because kept jobs name it. */
export async function openDemoSite({ demo }: KeptState, report: (line: string) => void): Promise<Listening> {
  if (demo === undefined) return startDemoSite();
  return startDemoSite(demo.site_port).catch(() => {
    report(`Port ${demo.site_port} is in use now, so the demo site moves to another`);
    return startDemoSite();
  });
}
