import { describe, expect, test } from 'vitest';
import { follow, NOWHERE, responded } from '../../functions/browser/page/documents.ts';
import type { Fact } from '../../functions/browser/page/network.ts';
import { AppError } from '../../shared/errors.ts';

const HOME = 'https://a.example/';
const VICTIM = 'https://victim.example/bank';

/** A response that goes on into the browser, among the facts. */
type Step = Fact | { what: 'answered'; id: string; url: string; status: number };

const requested = (id: string, url: string, more = {}): Step => {
  return {
    what: 'requested',
    id,
    url,
    isBackground: false,
    isPicture: false,
    isMove: true,
    isHop: false,
    ...more,
  };
};
const hop = (id: string, url: string) => requested(id, url, { isHop: true });
const answered = (id: string, url: string, status = 200): Step => ({ what: 'answered', id, url, status });
const committed = (id: string, url: string, more = {}): Step => {
  return { what: 'committed', id, url, isErrorPage: false, isRestored: false, ...more };
};
const received = (id: string, bytes: number): Step => ({ what: 'received', id, bytes });
const ended = (id: string): Step => ({ what: 'ended', id, wireBytes: 0 });
const failed = (id: string, more = {}): Step => {
  return { what: 'failed', id, error: 'net::ERR_CONNECTION_RESET', isCanceled: false, ...more };
};
const home = [requested('1', HOME), answered('1', HOME), committed('1', HOME), received('1', 10), ended('1')];

const after = (steps: Step[], faultOf: (url: string) => AppError | undefined = () => undefined) =>
  steps.reduce(
    (state, step) =>
      step.what === 'answered'
        ? responded(state, step.id, step.url, step.status)
        : follow(state, step, faultOf),
    NOWHERE,
  );

describe('the document that is shown', () => {
  test('is the one that was committed, with its own status', () => {
    expect(after(home).shown).toEqual({
      id: '1',
      url: HOME,
      status: 200,
      redirects: 0,
      bytes: 10,
      headBytes: 0,
      end: 'whole',
    });
  });

  test('is not the next one while that has only answered', () => {
    const state = after([...home, requested('2', VICTIM), answered('2', VICTIM, 500)]);
    expect(state.shown).toMatchObject({ url: HOME, status: 200 });
    expect(state.pending).toMatchObject({ url: VICTIM, status: 500, redirects: 1 });
  });

  test('is the next one once it is committed', () => {
    const state = after([...home, requested('2', VICTIM), answered('2', VICTIM), committed('2', VICTIM)]);
    expect(state.shown).toMatchObject({ url: VICTIM, redirects: 1 });
    expect(state).not.toHaveProperty('pending');
  });

  test.each(['about:blank', 'about:srcdoc', 'blob:https://a.example/1', 'data:text/html,x'])(
    'keeps its name when it makes another by itself: %s',
    (url) => {
      const state = after([...home, committed('made', url)]);
      expect(state.shown).toMatchObject({ id: 'made', url: HOME, status: 200 });
      expect(state.failure).toBeUndefined();
    },
  );

  test('is an earlier one again when that is brought back', () => {
    const away = [requested('2', VICTIM), answered('2', VICTIM, 404), committed('2', VICTIM)];
    const state = after([...home, ...away, committed('1', HOME, { isRestored: true })]);
    expect(state.shown).toMatchObject({ id: '1', url: HOME, status: 200 });
  });

  test('is one that was rendered ahead, without a request of its own', () => {
    const state = after([...home, committed('ahead', 'https://a.example/next')]);
    expect(state.shown).toMatchObject({ url: 'https://a.example/next', status: 200, redirects: 1 });
  });
});

describe('moves', () => {
  test('are counted by hop and by document', () => {
    const steps = [requested('1', HOME), hop('1', `${HOME}b`), answered('1', `${HOME}b`)];
    expect(after([...steps, committed('1', `${HOME}b`), requested('2', HOME)]).redirects).toBe(2);
  });

  test('count as none if they came to nothing', () => {
    expect(after([...home, requested('2', HOME), requested('3', HOME)]).redirects).toBe(1);
  });

  test('are too many after ten, even where no document is ever shown', () => {
    const hops = Array.from({ length: 11 }, (_, turn) => hop('1', `${HOME}${turn}`));
    expect(after([requested('1', HOME), ...hops.slice(0, 10)]).failure).toBeUndefined();
    expect(after([requested('1', HOME), ...hops]).failure).toMatchObject({ code: 'too_many_redirects' });
  });

  test('of frames, prefetches and subresources are none', () => {
    const other = requested('2', VICTIM, { isMove: false });
    expect(after([...home, other]).redirects).toBe(0);
  });

  test.each([
    ['https://user:secret@a.example/', 'url_not_allowed'],
    [`${HOME}${'x'.repeat(8_192)}`, 'bad_upstream_response'],
  ])('to %.40s end the scrape', (url, code) => {
    expect(after([...home, requested('2', url)]).failure).toMatchObject({ code });
  });

  test('to an app lead nowhere', () => {
    expect(after([...home, requested('2', 'ssh://user@host.example')]).failure).toBeUndefined();
  });
});

describe('what fails', () => {
  const half = [requested('1', HOME), answered('1', HOME), committed('1', HOME), received('1', 10)];

  test('is a document that was cut off, if some of it is there', () => {
    const state = after([...half, failed('1')]);
    expect(state.shown).toMatchObject({ end: 'cut off' });
    expect(state.failure).toBeUndefined();
  });

  test('is the scrape, if the guard cut it off', () => {
    const fault = new AppError('response_too_large');
    expect(after([...half, failed('1')], () => fault).failure).toBe(fault);
  });

  test('is the scrape, if nothing is there', () => {
    expect(after([requested('1', HOME), failed('1')]).failure).toMatchObject({ code: 'connect_failed' });
  });

  test('is nothing, if it was taken out of the browser', () => {
    expect(after([requested('1', HOME), failed('1', { isCanceled: true })]).failure).toBeUndefined();
  });

  test('is nothing, if it is not the document', () => {
    expect(after([...home, failed('7')]).failure).toBeUndefined();
  });

  test('is a document over 50 MB, before its end', () => {
    expect(after([...half, received('1', 50_000_000)]).failure).toMatchObject({ code: 'response_too_large' });
  });

  test('is told once, by the first that failed', () => {
    const state = after([...half, received('1', 50_000_000), requested('2', 'https://u@a.example/')]);
    expect(state.failure).toMatchObject({ code: 'response_too_large' });
  });
});
