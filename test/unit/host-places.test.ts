import { describe, expect, test } from 'vitest';
import {
  leavePlace,
  type Met,
  prospectAt,
  takePlace,
  type Visit,
} from '../../shared/domain/crawls/host-places.ts';
import type { TargetHost } from '../../shared/contract/crawls/target-host.ts';

const HOST = 'shop.example';
const NOW = Date.parse('2026-11-21T12:00:00Z');
const visitOf = (crawlId: string, chunk: number, more: Partial<Visit> = {}): Visit => ({
  crawlId,
  placeId: `${crawlId}-${chunk}~1`,
  until: NOW + 80_000,
  concurrency: 2,
  hostConcurrency: 4,
  ...more,
});

/** A host that visits change one after another. */
function host() {
  let stored: TargetHost | undefined;
  return {
    stored: () => stored,
    take: (visit: Visit, now = NOW) => {
      const admittance = takePlace(stored, HOST, visit, now);
      if (admittance.outcome === 'taken') stored = admittance.after;
      if (admittance.outcome === 'taken') return admittance.startAt;
      if (admittance.outcome === 'later') return `later ${admittance.at - now}`;
      const isOthers = admittance.outcome === 'full' && !admittance.isOwn;
      return isOthers ? 'full of others' : admittance.outcome;
    },
    leave: (visit: Visit, met: Partial<Met> = {}, now = NOW) => {
      stored = leavePlace(stored, HOST, visit, { hasAnswered: false, ...met }, now);
      return prospectAt(stored, visit.crawlId);
    },
  };
}

describe('a crawl', () => {
  test('has as many chunks at a host as its concurrency', () => {
    const { take, leave } = host();
    expect([1, 2, 3].map((n) => take(visitOf('a', n)))).toEqual([NOW, NOW, 'full']);
    leave(visitOf('a', 1));
    expect(take(visitOf('a', 3))).toBe(NOW);
  });

  test('shares the places of the host with crawls of other organizations', () => {
    const { take, leave } = host();
    expect([
      take(visitOf('a', 1)),
      take(visitOf('a', 2)),
      take(visitOf('b', 1)),
      take(visitOf('b', 2)),
    ]).toEqual([NOW, NOW, NOW, NOW]);
    expect([take(visitOf('c', 1)), take(visitOf('a', 3))]).toEqual(['full of others', 'full']);
    leave(visitOf('b', 2));
    expect(take(visitOf('c', 1))).toBe(NOW);
  });

  test('does not take the place of a chunk twice', () => {
    const { take } = host();
    expect([take(visitOf('a', 1)), take(visitOf('a', 1))]).toEqual([NOW, 'full']);
  });

  test('gets the place of a dead worker when its lease has ended, and the delay after it', () => {
    const { take } = host();
    const slow = { concurrency: 1, delay: 10_000 };
    take(visitOf('a', 1, slow));
    expect(take(visitOf('a', 2, slow), NOW + 89_999)).toBe('full');
    expect(take(visitOf('a', 2, slow), NOW + 90_000)).toBe(NOW + 90_000);
  });
});

describe('with a delay', () => {
  const slow = { concurrency: 3, delay: 8_000 };

  test('one chunk at a time requests the host', () => {
    const { take } = host();
    expect([take(visitOf('a', 1, slow)), take(visitOf('a', 2, slow))]).toEqual([NOW, 'full']);
  });

  test('the next chunk waits from the start of the last request on', () => {
    const { take, leave } = host();
    take(visitOf('a', 1, slow));
    expect(leave(visitOf('a', 1, slow), { lastStart: NOW + 1_000, hasAnswered: true }, NOW + 2_000)).toEqual({
      isGivenUp: false,
      at: NOW + 9_000,
    });
    expect(take(visitOf('a', 2, slow), NOW + 3_000)).toBe('later 6000');
    expect(take(visitOf('b', 1, slow), NOW + 3_000)).toBe(NOW + 3_000);
    expect(take(visitOf('a', 2, slow), NOW + 4_000)).toBe(NOW + 9_000);
  });
});

describe('a host that answers 429 or 503', () => {
  const refused = (retryAfter?: number) => ({ refusal: { retryAfter } });

  test('is left alone for as long as it asks for', () => {
    const { take, leave } = host();
    take(visitOf('a', 1));
    leave(visitOf('a', 1), refused(120));
    expect(take(visitOf('a', 1), NOW + 60_000)).toBe('later 60000');
    expect(take(visitOf('b', 1), NOW + 60_000)).toBe(NOW + 60_000);
    expect(take(visitOf('a', 1), NOW + 120_000)).toBe(NOW + 120_000);
  });

  test('is left alone for twice as long each time, up to a quarter of an hour, and then given up', () => {
    const { take, leave } = host();
    let now = NOW;
    const pauses: number[] = [];
    for (let n = 0; n < 5; n++) {
      expect(take(visitOf('a', n), now)).toBe(now);
      const { isGivenUp, at } = leave(visitOf('a', n), refused(), now);
      expect(isGivenUp).toBe(false);
      pauses.push((at - now) / 1_000);
      now = at;
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480]);
    take(visitOf('a', 5), now);
    expect(leave(visitOf('a', 5), refused(), now).isGivenUp).toBe(true);
    expect(take(visitOf('a', 6), now + 24 * 60 * 60_000)).toBe('given_up');
    expect(take(visitOf('b', 1), now)).toBe(now);
  });

  test('counts requests that it refuses at the same time as one', () => {
    const { take, leave } = host();
    for (const n of [1, 2]) take(visitOf('a', n));
    leave(visitOf('a', 1), refused());
    leave(visitOf('a', 2), { ...refused(), hasAnswered: true });
    expect(take(visitOf('a', 3), NOW + 30_000)).toBe(NOW + 30_000);
    expect(leave(visitOf('a', 3), refused(), NOW + 30_000).at).toBe(NOW + 90_000);
  });

  test('is refused for the first time again once it has answered', () => {
    const { take, leave } = host();
    take(visitOf('a', 1));
    leave(visitOf('a', 1), refused());
    take(visitOf('a', 2), NOW + 30_000);
    leave(visitOf('a', 2), { hasAnswered: true }, NOW + 31_000);
    take(visitOf('a', 3), NOW + 32_000);
    expect(leave(visitOf('a', 3), refused(), NOW + 32_000).at).toBe(NOW + 62_000);
  });
});

test('a crawl that has left a host is forgotten', () => {
  const { take, leave, stored } = host();
  take(visitOf('a', 1));
  leave(visitOf('a', 1), { hasAnswered: true });
  take(visitOf('b', 1));
  expect(Object.keys(stored()?.crawls ?? {})).toEqual(['b']);
});
