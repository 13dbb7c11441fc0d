import { describe, expect, test } from 'vitest';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { verdictText } from '../../shared/contract/scrape/verdict.ts';
import { judge } from '../../shared/domain/scrape/verdict/judge.ts';
import { noWalls, walls } from '../fixtures/walls.ts';
import { page } from '../support/world/pages.ts';

const URL = 'https://example.com/';
const judged = (body: string, more: Partial<Page> = {}, requested = URL) =>
  judge(page(body, more), requested);

describe('a bot wall', () => {
  for (const [by, status, body, more] of walls)
    test(`of ${by ?? 'a maker that does not show'} with status ${status} is one: ${body.slice(0, 60)}`, () => {
      expect(judged(body, { status, ...more })).toEqual({ kind: 'bot_wall', ...(by && { by }) });
    });
});

describe('no wall', () => {
  for (const [what, status, body, more = {}] of noWalls)
    test(`is ${what}`, () => {
      expect(judged(body, { status, ...more }, more.url)).toEqual({ kind: 'page' });
    });

  test('is a wall of words in a page of its own', () => {
    const words = 'word '.repeat(500);
    const widget = '<p>Verify you are human</p><div class="g-recaptcha"></div>';
    expect(judged(`<title>Just a moment...</title>${widget}<p>${words}</p>`)).toEqual({ kind: 'page' });
  });
});

const form = '<title>Sign in</title><form><input name="user"><input type="password"></form>';

test('a login in the place of another page is a wall', () => {
  expect(judged(form, { url: 'https://example.com/login?next=/', redirects: 1 })).toEqual({
    kind: 'login_wall',
  });
  expect(judged(form, { url: 'https://sso.example.com/', redirects: 1 })).toEqual({ kind: 'login_wall' });
  expect(judged(form, { status: 401 })).toEqual({ kind: 'login_wall' });
});

test('a login that was requested is a page', () => {
  const url = 'https://example.com/login';
  expect(judged(form, { url }, url)).toEqual({ kind: 'page' });
  expect(judged(form, { url: 'https://example.com/signin' }, url)).toEqual({ kind: 'page' });
  expect(judged(form)).toEqual({ kind: 'page' });
  const host = 'https://login.example.com/';
  expect(judged(form, { url: `${host}start`, redirects: 1 }, host)).toEqual({ kind: 'page' });
});

test('a consent page in the place of another is a wall', () => {
  const url = 'https://consent.example.com/m?continue=x';
  const html = '<h1>Before you continue</h1>';
  expect(judged(html, { url, redirects: 1 })).toEqual({ kind: 'consent_wall' });
  expect(judged(html, { url }, url)).toEqual({ kind: 'page' });
});

test.each([
  ['', 'empty'],
  ['<html><head><title>T</title></head><body></body></html>', 'empty'],
  ['<div id="root"></div><script src="app.js"></script>', 'empty'],
  ['<noscript>You need JavaScript</noscript><div id="app"></div>', 'empty'],
  ['<div id="root"></div><p>Five words are quite enough</p>', 'page'],
  ['<canvas></canvas>', 'page'],
])('%j is %s', (html, kind) => expect(judged(html)).toEqual({ kind }));

test('a demand for payment has its price', () => {
  const headers = { 'crawler-price': 'USD 0.01' };
  expect(judged('', { status: 402, headers })).toEqual({ kind: 'payment_required', price: 'usd 0.01' });
  const body = JSON.stringify({ x402Version: 1, accepts: [{ maxAmountRequired: '10000', asset: '0xA0' }] });
  expect(judged(body, { status: 402, contentType: 'application/json' })).toEqual({
    kind: 'payment_required',
    price: '10000 0xA0',
  });
  expect(judged('{', { status: 402, contentType: 'application/json' })).toEqual({
    kind: 'payment_required',
  });
});

test('a demand for payment is written as a header', () => {
  expect(verdictText({ kind: 'payment_required', price: 'USD 1' })).toBe('payment_required; price="USD 1"');
  expect(verdictText({ kind: 'bot_wall', by: 'aws_waf' })).toBe('bot_wall; by=aws_waf');
});

test.each(['<script', '<', '<!--', '<div id=root>', '<title>', '<p ', 'verify you are '])(
  'a page of nothing but %s is judged in time',
  (part) => {
    const start = performance.now();
    judged(part.repeat(290_000 / part.length), { status: 403 });
    expect(performance.now() - start).toBeLessThan(5_000);
  },
);
