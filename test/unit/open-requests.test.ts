import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { openRequests } from '../../functions/browser/readiness/open-requests.ts';
import { openPatience } from '../../functions/browser/readiness/patience.ts';
import { openStreams } from '../../functions/browser/readiness/streams.ts';

const MB = 1_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function requestOf(url: string, id: string) {
  return {
    what: 'requested',
    id,
    at: 0,
    url,
    isBackground: false,
    isPicture: false,
    isRead: true,
    isPassive: false,
    isFramed: false,
    method: 'GET',
    sends: '',
    isForParts: false,
    isForContent: true,
    isReport: false,
  } as const;
}

test('URLs of megabytes are distinguished, and not kept', () => {
  const now = () => 0;
  const streams = openStreams(now);
  const patience = openPatience({ now, streams });
  const requests = openRequests(() => undefined, { now, streams, patience });
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 160; n += 1) {
    const id = String(n);
    // A flat string of its own, as it comes from Chromium. Each comes twice.
    const url = Buffer.alloc(MB, `https://example.com/${Math.floor(n / 2)}/`).toString('latin1');
    requests.see(
      {
        ...requestOf(url, id),
        isNavigation: false,
        isRedirect: false,
        isOfWorker: false,
        isOfServiceWorker: false,
      },
      '',
    );
    requests.see({ what: 'ended', id, at: 0, wireBytes: 0 }, '');
  }
  expect(requests.respondedUrls()).toBe(80);
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50 * MB);
});
