import { expect, test } from 'vitest';
import { follow, INITIAL, responded } from '../../functions/browser/page/documents.ts';
import type { Fact } from '../../functions/browser/page/fact.ts';
import { AppError } from '../../shared/errors.ts';

const HOME = 'https://a.example/';
const VICTIM = 'https://victim.example/bank';

/** A fact, or a response that is passed on to the browser. */
type Step = Fact | { what: 'answered'; id: string; url: string; status: number };

const requested = (id: string, url: string, more = {}): Step => {
  return {
    what: 'requested',
    id,
    at: 0,
    url,
    isBackground: false,
    isPicture: false,
    isRead: false,
    isPassive: false,
    isFramed: false,
    method: 'GET',
    sends: '',
    isForParts: false,
    isForContent: true,
    isReport: false,
    isNavigation: true,
    isRedirect: false,
    isOfWorker: false,
    isOfServiceWorker: false,
    ...more,
  };
};
const hop = (id: string, url: string) => requested(id, url, { isRedirect: true });
const answered = (id: string, url: string, status = 200): Step => ({ what: 'answered', id, url, status });
const committed = (id: string, url: string, more = {}): Step => {
  return { what: 'committed', id, url, isErrorPage: false, isRestored: false, ...more };
};
const received = (id: string, bytes: number): Step => ({ what: 'received', id, bytes });
const ended = (id: string): Step => ({ what: 'ended', id, at: 0, wireBytes: 0 });
const failed = (id: string, more = {}): Step => {
  return { what: 'failed', id, error: 'net::ERR_CONNECTION_RESET', isCanceled: false, ...more };
};
const home = [requested('1', HOME), answered('1', HOME), committed('1', HOME), received('1', 10), ended('1')];

const after = (steps: Step[], faultOf: (url: string) => AppError | undefined = () => undefined) =>
  steps.reduce(
    (state, step) =>
      step.what === 'answered'
        ? responded(state, { id: step.id, url: step.url, status: step.status, headers: {} })
        : follow(state, step, faultOf),
    INITIAL,
  );

test('the shown document is the committed one, with its own status', () => {
  expect(after(home).shown).toEqual({
    id: '1',
    url: HOME,
    status: 200,
    redirects: 0,
    bytes: 10,
    headBytes: 0,
    headers: {},
    end: 'whole',
  });
});

test('the shown document stays the same when the next one has only responded', () => {
  const state = after([...home, requested('2', VICTIM), answered('2', VICTIM, 500)]);
  expect(state.shown).toMatchObject({ url: HOME, status: 200 });
  expect(state.pending).toMatchObject({ url: VICTIM, status: 500, redirects: 1 });
});

test('the shown document changes once the next one is committed', () => {
  const state = after([...home, requested('2', VICTIM), answered('2', VICTIM), committed('2', VICTIM)]);
  expect(state.shown).toMatchObject({ url: VICTIM, redirects: 1 });
  expect(state).not.toHaveProperty('pending');
});

test.each(['about:blank', 'about:srcdoc', 'blob:https://a.example/1', 'data:text/html,x'])(
  'the shown document keeps its URL when it opens %s',
  (url) => {
    const state = after([...home, committed('made', url)]);
    expect(state.shown).toMatchObject({ id: 'made', url: HOME, status: 200 });
    expect(state.failure).toBeUndefined();
  },
);

test('the shown document changes back when an earlier one is restored', () => {
  const away = [requested('2', VICTIM), answered('2', VICTIM, 404), committed('2', VICTIM)];
  const state = after([...home, ...away, committed('1', HOME, { isRestored: true })]);
  expect(state.shown).toMatchObject({ id: '1', url: HOME, status: 200 });
});

test('the shown document may be a prerendered one without its own request', () => {
  const state = after([...home, committed('ahead', 'https://a.example/next')]);
  expect(state.shown).toMatchObject({ url: 'https://a.example/next', status: 200, redirects: 1 });
});

test('navigations count each redirect and each document', () => {
  const steps = [requested('1', HOME), hop('1', `${HOME}b`), answered('1', `${HOME}b`)];
  expect(after([...steps, committed('1', `${HOME}b`), requested('2', HOME)]).redirects).toBe(2);
});

test('navigations do not count when they are replaced before a response', () => {
  expect(after([...home, requested('2', HOME), requested('3', HOME)]).redirects).toBe(1);
});

test('navigations count once when a page loads itself again and again', () => {
  const again = (times: number) =>
    Array.from({ length: times }, (_, turn) => [
      requested(`r${turn}`, `${HOME}#${turn}`),
      answered(`r${turn}`, HOME),
      committed(`r${turn}`, HOME),
    ]).flat();
  const state = after([...home, ...again(60)]);
  expect(state.shown?.redirects).toBe(1);
  expect(state.failure).toBeUndefined();
  expect(after([...home, ...again(61)]).failure).toMatchObject({ code: 'too_many_redirects' });
});

test('navigations fail after ten redirects, even before the first document', () => {
  const hops = Array.from({ length: 11 }, (_, turn) => hop('1', `${HOME}${turn}`));
  expect(after([requested('1', HOME), ...hops.slice(0, 10)]).failure).toBeUndefined();
  expect(after([requested('1', HOME), ...hops]).failure).toMatchObject({ code: 'too_many_redirects' });
});

test('navigations do not include requests for frames, prefetches and subresources', () => {
  const other = requested('2', VICTIM, { isNavigation: false });
  expect(after([...home, other]).redirects).toBe(0);
});

test.each([
  ['https://user:secret@a.example/', 'url_not_allowed'],
  [`${HOME}${'x'.repeat(8_192)}`, 'bad_upstream_response'],
])('navigations to %.40s fail the scrape', (url, code) => {
  expect(after([...home, requested('2', url)]).failure).toMatchObject({ code });
});

test('navigations to an app scheme are ignored', () => {
  expect(after([...home, requested('2', 'ssh://user@host.example')]).failure).toBeUndefined();
});

const half = [requested('1', HOME), answered('1', HOME), committed('1', HOME), received('1', 10)];

test('a failed request marks a partly received document as cut off', () => {
  const state = after([...half, failed('1')]);
  expect(state.shown).toMatchObject({ end: 'cut off' });
  expect(state.failure).toBeUndefined();
});

test('a failed request fails the scrape with the fault of the guard', () => {
  const fault = new AppError('response_too_large');
  expect(after([...half, failed('1')], () => fault).failure).toBe(fault);
});

test('a failed request fails the scrape before the first byte', () => {
  expect(after([requested('1', HOME), failed('1')]).failure).toMatchObject({ code: 'connect_failed' });
});

test('a failed request is ignored when the browser cancelled it', () => {
  expect(after([requested('1', HOME), failed('1', { isCanceled: true })]).failure).toBeUndefined();
});

test('a failed request is ignored when it is a subresource', () => {
  expect(after([...home, failed('7')]).failure).toBeUndefined();
});

test('a failed request is reported as soon as a document exceeds 50 MB', () => {
  expect(after([...half, received('1', 50_000_000)]).failure).toMatchObject({ code: 'response_too_large' });
});

test('a failed request is reported once, with the first fault', () => {
  const state = after([...half, received('1', 50_000_000), requested('2', 'https://u@a.example/')]);
  expect(state.failure).toMatchObject({ code: 'response_too_large' });
});

test('a document of a service worker, for which no request was paused, has its own head', () => {
  const served = { url: HOME, status: 404, headers: {} };
  const head = { wireBytes: 9, isNotYet: false, isAccepted: false, isInParts: false, isAtomic: false };
  const { shown } = after([
    ...home,
    requested('2', HOME),
    { what: 'responded', id: '2', at: 0, ...head, served },
    committed('2', HOME),
  ]);
  expect(shown).toMatchObject({ id: '2', status: 404, headBytes: 9 });
});
