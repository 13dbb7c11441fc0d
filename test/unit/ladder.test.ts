import { describe, expect, test } from 'vitest';
import type { Kind } from '../../shared/contract/scrape/mode.ts';
import { bestOf, type Came, firstRung, ladderOf, nextRung } from '../../shared/domain/scrape/ladder.ts';

const LADDER: readonly Kind[] = ['plain', 'rendered', 'premium', 'both'];
const OFTEN = { chance: 0.5, credits: 25 };

describe('a ladder begins', () => {
  test.each<[string, Kind | undefined, Partial<typeof OFTEN>, Kind]>([
    ['at its first rung', undefined, {}, 'plain'],
    ['at the rung that won before', 'premium', {}, 'premium'],
    ['one lower in one of twenty times', 'premium', { chance: 0.04 }, 'rendered'],
    ['at the dearest rung that is paid', 'both', { credits: 9 }, 'rendered'],
  ])('%s', (_, won, more, rung) => {
    expect(firstRung(LADDER, { won, ...OFTEN, ...more })).toBe(rung);
  });

  test('at its first rung without the winner of before', () => {
    expect(firstRung(['rendered', 'both'], { won: 'plain', ...OFTEN })).toBe('rendered');
  });
});

test.each<[Came, Kind, Kind | undefined]>([
  [{ what: 'page', status: 200 }, 'plain', undefined],
  [{ what: 'page', status: 403 }, 'plain', 'premium'],
  [{ what: 'shell', status: 200 }, 'plain', 'rendered'],
  [{ what: 'empty', status: 500 }, 'plain', undefined],
  [{ what: 'empty', status: 200 }, 'rendered', 'premium'],
  [{ what: 'empty', status: 200, isComplete: true }, 'rendered', undefined],
  [{ what: 'bot_wall', status: 403, isChallenge: true }, 'plain', 'rendered'],
  [{ what: 'bot_wall', status: 403, isChallenge: true }, 'rendered', 'premium'],
  [{ what: 'bot_wall', status: 403 }, 'premium', 'both'],
  [{ what: 'connect_failed' }, 'rendered', 'premium'],
  [{ what: 'dns_failed' }, 'plain', undefined],
  [{ what: 'missing', status: 200 }, 'both', undefined],
])('after %o at %s comes %s', (came, rung, next) => {
  expect(nextRung(rung, came, LADDER)).toBe(next);
});

test.each<[string, Came[], number]>([
  [
    'a page before a wall',
    [
      { what: 'bot_wall', status: 403 },
      { what: 'page', status: 200 },
    ],
    1,
  ],
  ['any page before an error', [{ what: 'empty', status: 200 }, { what: 'timeout' }], 0],
  ['the cheapest of equal walls', [{ what: 'bot_wall' }, { what: 'bot_wall' }], 0],
  ['the last page that lacks something', [{ what: 'missing' }, { what: 'missing' }], 1],
  [
    'a page before a refusal',
    [
      { what: 'page', status: 403 },
      { what: 'page', status: 200 },
    ],
    1,
  ],
])('the best is %s', (_, [first, ...others], best) => {
  if (first === undefined) throw new Error('Nothing came.');
  expect(bestOf([first, ...others])).toBe([first, ...others][best]);
});

test('a ladder has the rungs that its request may cost, with a browser if it needs one', () => {
  expect(ladderOf({ maxCredits: 10 })).toEqual(['plain', 'rendered', 'premium']);
  expect(ladderOf({ scroll: true })).toEqual(['rendered', 'both']);
  expect(ladderOf({ waitFor: 'h1' })).toEqual(LADDER);
  expect(ladderOf({ format: 'screenshot', maxCredits: 4 })).toEqual([]);
});
