import type { Protocol } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { isOpaque, requested, responded } from '../../functions/browser/page/request-facts.ts';

type Said = { url?: string; method?: string; headers?: Record<string, string>; body?: string };

/** The fact of a request by fetch. */
function factOf({ url = 'https://a.example/orders', method = 'GET', headers = {}, body }: Said) {
  const postDataEntries = body === undefined ? [] : [{ bytes: Buffer.from(body).toString('base64') }];
  const request = { url, method, headers, initialPriority: 'High', postDataEntries };
  return requested({ requestId: '1', type: 'Fetch', request } as Protocol.Network.RequestWillBeSentEvent, '');
}

const post = (body: string, type = 'text/plain;charset=UTF-8'): Said => {
  return { method: 'POST', headers: { 'Content-Type': type }, body };
};

test.each<[string, Said, boolean]>([
  ['gets something', {}, true],
  ['posts a query', post('{"query":"{orders{id}}"}', 'application/json'), true],
  ['posts a query without its type', post('{"query":"{orders{id}}"}'), true],
  ['posts a form', post('q=lamp', 'application/x-www-form-urlencoded'), true],
  ['posts nothing', { method: 'POST' }, true],
  ['posts words', post('seen'), false],
  ['reports', { ...post('{"seen":1}', 'application/json'), url: 'https://a.example/v1/track' }, false],
  ['polls', { url: 'https://a.example/socket/poll?sid=1' }, false],
  ['names a report in its query', { url: 'https://a.example/orders?of=/track' }, true],
  ['names a report within a name', { url: 'https://a.example/beacon-fires/dates' }, true],
  ['puts something', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{}' }, true],
  ['plays a film', { url: 'https://a.example/film/12.m4s?at=1' }, false],
  ['posts what has happened', { ...post('[]'), url: 'https://a.example/v2/events' }, false],
  ['loads a script that is named after a poll', { url: 'https://a.example/poll.js' }, true],
  ['deletes something', { method: 'DELETE' }, false],
])('a request that %s asks for content or not', (_, said, isForContent) => {
  expect(factOf(said).isForContent).toBe(isForContent);
});

test.each<[string, Said, boolean]>([
  ['events', { headers: { Accept: 'text/event-stream' } }, true],
  ['frames', post('', 'application/grpc-web+proto'), true],
  ['messages of Connect', post('', 'application/connect+json'), true],
  ['an answer as it is written', post('{"stream": true}', 'application/json'), true],
  ['JSON', { headers: { Accept: 'application/json' } }, false],
])('a request for %s asks for a response in parts or not', (_, said, isForParts) => {
  expect(factOf(said).isForParts).toBe(isForParts);
});

const answerOf = (more: Partial<Protocol.Network.Response>, type = 'Fetch') => {
  const response = {
    url: 'https://a.example/',
    status: 200,
    mimeType: '',
    headers: {},
    encodedDataLength: 9,
  };
  return responded({
    requestId: '1',
    type,
    response: { ...response, ...more },
  } as Protocol.Network.ResponseReceivedEvent);
};

test.each([
  ['application/json', true],
  ['application/problem+json', true],
  ['text/javascript', true],
  ['application/connect+json', false],
  ['text/plain', false],
])('a body of %s shows nothing before its end: %s', (mimeType, isAtomic) => {
  expect(answerOf({ mimeType }).isAtomic).toBe(isAtomic);
});

test.each([202, 425, 429, 502, 503, 504])('a status of %i asks to come again', (status) => {
  expect(answerOf({ status }).isNotYet).toBe(true);
  expect(answerOf({ status: 500 }).isNotYet).toBe(false);
});

test('the head of a document is kept if a service worker has served it', () => {
  const served = { url: 'https://a.example/', status: 200, headers: { a: '1' } };
  expect(answerOf({ fromServiceWorker: true, headers: { A: '1' } }, 'Document').served).toEqual(served);
  expect(answerOf({ fromServiceWorker: true }).served).toBeUndefined();
  expect(answerOf({}, 'Document').served).toBeUndefined();
});

test.each([
  ['no-cors', 'cross-site', true],
  ['no-cors', 'same-origin', false],
  ['cors', 'cross-site', false],
])('scripts cannot read a response or can: %s, %s', (mode, site, is) => {
  const headers = { 'Sec-Fetch-Dest': 'empty', 'sec-fetch-mode': mode, 'Sec-Fetch-Site': site };
  expect(isOpaque({ headers })).toBe(is);
});

test.each([
  ['https://a.example/rates?currency=EUR&callback=__jp0', false],
  ['https://a.example/rates?jsonp=jQuery36_1', false],
  ['https://a.example/app.js?callback=', true],
  ['https://a.example/app.js?jsonp=1', true],
  ['https://a.example/app.js', true],
])('a script by %s shows nothing by itself: %s', (url, isPassive) => {
  const request = { url, method: 'GET', headers: {}, initialPriority: 'Low' };
  const event = { requestId: '1', type: 'Script', request } as Protocol.Network.RequestWillBeSentEvent;
  expect(requested(event, '').isPassive).toBe(isPassive);
});

test('what a page calls less important is not waited for', () => {
  const request = { url: 'https://a.example/', method: 'GET', headers: {}, initialPriority: 'Low' };
  const event = { requestId: '1', type: 'Fetch', request } as Protocol.Network.RequestWillBeSentEvent;
  expect(requested(event, '').isBackground).toBe(true);
});
