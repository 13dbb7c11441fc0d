import { expect, test } from 'vitest';
import { premiumUpstreamUrl } from '../../shared/domain/scrape/target/premium-upstream.ts';

const owner = { orgId: 'org_a', scrapeId: 'scrape-1' };
const fill = (template: string, exit: Parameters<typeof premiumUpstreamUrl>[1] = {}, of = owner) =>
  premiumUpstreamUrl(template, exit, of);

test('the URL template is filled with country and session', () => {
  const url = fill('http://u-{country}-{session}:p@proxy:1', { countryCode: 'DE', sessionId: 's' });
  expect(url).toMatch(/^http:\/\/u-de-[0-9a-f]{16}:p@proxy:1$/);
});

test('an optional part is dropped together with its placeholder', () => {
  const template = 'http://u[-country-{country}][-session-{session}]:p@[2001:db8::1]:1';
  expect(fill(template)).toBe('http://u:p@[2001:db8::1]:1');
  expect(fill(template, { countryCode: 'FR' })).toBe('http://u-country-fr:p@[2001:db8::1]:1');
});

test('a session keeps its id between scrapes and shares it with no other organization', () => {
  const at = (orgId: string, sessionId: string, scrapeId = '1') =>
    fill('{session}', { sessionId }, { orgId, scrapeId });
  expect(at('a', 's', '1')).toBe(at('a', 's', '2'));
  const ids = [at('a', 's'), at('b', 's'), at('a', 't'), at('a', 's s'), at('a s', 's')];
  expect(new Set(ids).size).toBe(ids.length);
});

test('without a session, every scrape gets its own id', () => {
  expect(fill('{session}')).not.toBe(fill('{session}', {}, { ...owner, scrapeId: 'scrape-2' }));
});
