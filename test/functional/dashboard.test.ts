import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pageRoutes } from '../../shared/api/page-routes.ts';
import { setStatus } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { hidden, keyIn, newDashboard, PASSWORD } from '../support/world/visitor.ts';

const [ADA, GRACE] = ['ada@example.com', 'grace@example.com'];
const HOUR_MS = 3_600_000;
const SESSION = '__Host-sitefetch-session';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const wrong = (code: string) => code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));

async function member(email = ADA, dashboard = newDashboard()) {
  const visitor = dashboard.newVisitor();
  const welcome = await visitor.join(email);
  return { ...dashboard, visitor, welcome, key: keyIn(welcome.html) ?? '' };
}

test('a visitor signs up with a name for the organization, confirms, and sees a key once', async () => {
  const { world, newVisitor, codeOf } = newDashboard();
  const visitor = newVisitor();
  expect(
    (
      await visitor.submit('/sign-up', {
        email: ` ${ADA.toUpperCase()}`,
        password: PASSWORD,
        organization: ' Analytical Engines ',
      })
    ).location,
  ).toBe('/confirm');
  expect((await visitor.get('/confirm')).text).toContain(ADA);
  const welcome = await visitor.submit('/confirm', { code: ` ${codeOf(ADA)} ` });
  const key = keyIn(welcome.html) ?? '';
  expect([welcome.status, welcome.text]).toEqual([200, expect.stringContaining('shown only once')]);
  expect(welcome.text).toContain(`https://api.example.com/api/v1/scraper`);
  expect(await world.keys.find(key.split('_')[2] ?? '')).toMatchObject({ status: 'active' });
  const home = await visitor.get('/');
  expect(home.text).toContain('1,000 left this month');
  expect(home.html).not.toContain(key);
  expect((await visitor.signIn(ADA)).location).toBe('/');
  expect(await world.organizations.list()).toMatchObject([{ plan: 'free', name: 'Analytical Engines' }]);
});

test('two first sign-ins at once make one organization with one key', async () => {
  const { world, newVisitor, codeOf } = newDashboard();
  const visitor = newVisitor();
  await visitor.submit('/sign-up', { email: ADA, password: PASSWORD });
  const known = await world.identities.signIn(ADA, PASSWORD);
  await world.identities.confirm(known.outcome === 'unconfirmed' ? known.userId : '', codeOf(ADA));
  const answers = await Promise.all([visitor.copy().signIn(ADA), visitor.copy().signIn(ADA)]);
  expect(answers.map(({ html }) => keyIn(html)).filter(Boolean)).toHaveLength(1);
  const [organization, ...others] = await world.organizations.list();
  expect(others).toEqual([]);
  expect(await world.keys.list(organization?.id ?? '')).toHaveLength(1);
});

test('two sign-ups with one address at once make one account', async () => {
  const { world, newVisitor } = newDashboard();
  const visitors = [newVisitor(), newVisitor()];
  const signUp = { email: ADA, password: PASSWORD };
  await Promise.all(visitors.map((each) => each.submit('/sign-up', signUp)));
  const codes = world.identities.mails.map(({ code }) => code);
  const outcomes = [];
  for (const visitor of visitors)
    for (const code of codes) outcomes.push((await visitor.submit('/confirm', { code })).status);
  expect(outcomes.filter((status) => status === 200)).toHaveLength(1);
});

test('an unconfirmed visitor who signs in gets another code', async () => {
  const { newVisitor, codeOf } = newDashboard();
  await newVisitor().submit('/sign-up', { email: ADA, password: PASSWORD });
  const later = newVisitor();
  expect((await later.signIn(ADA)).location).toBe('/confirm');
  expect((await later.submit('/resend')).location).toBe('/confirm?notice=resent');
  expect(keyIn((await later.submit('/confirm', { code: codeOf(ADA) })).html)).toBeDefined();
});

test('a code that is wrong, expired or of another person is refused beside its field', async () => {
  const { world, newVisitor, codeOf } = newDashboard();
  const [ada, grace] = [newVisitor(), newVisitor()];
  await ada.submit('/sign-up', { email: ADA, password: PASSWORD });
  await grace.submit('/sign-up', { email: GRACE, password: PASSWORD });
  for (const code of [wrong(codeOf(ADA)), codeOf(GRACE), '', '<b>']) {
    const { status, html } = await ada.submit('/confirm', { code });
    expect([status, html]).toEqual([422, expect.stringContaining('wrong or has expired')]);
    expect(html).toContain('aria-invalid="true"');
  }
  world.pass(24 * HOUR_MS);
  expect((await ada.submit('/confirm', { code: codeOf(ADA) })).location).toBe('/sign-in');
});

test('a code that resets a password ends every session, and works once', async () => {
  const { visitor, newVisitor, codeOf } = await member();
  const other = newVisitor();
  await other.submit('/forgot', { email: ADA });
  const reset = { code: codeOf(ADA), password: 'another horse battery' };
  expect((await other.submit('/reset', reset)).location).toBe('/sign-in?notice=reset');
  expect((await other.submit('/reset', reset)).status).toBe(422);
  expect((await visitor.get('/')).location).toBe('/sign-in');
  expect((await other.signIn(ADA)).status).toBe(422);
  expect((await other.signIn(ADA, reset.password)).location).toBe('/');
});

test('a code can be guessed ten times, from however many networks', async () => {
  const { newVisitor, codeOf } = newDashboard();
  const visitor = newVisitor();
  await visitor.submit('/sign-up', { email: ADA, password: PASSWORD });
  const guess = (code: string, address: string) => visitor.copy().submit('/confirm', { code }, { address });
  const statuses = [];
  for (let i = 0; i < 30; i += 1) statuses.push(await guess(wrong(codeOf(ADA)), `198.51.100.${i}`));
  expect(statuses.filter(({ status }) => status === 422)).toHaveLength(10);
  const refused = await guess(codeOf(ADA), '192.0.2.1');
  expect([refused.status, Number(refused.headers['Retry-After'])]).toEqual([429, 75]);
  expect(refused.text).toContain('Too many attempts. Try again in 75 seconds.');
});

test('a code that resets a password is guessed ten times at most', async () => {
  const { newVisitor, codeOf } = await member();
  const visitor = newVisitor();
  await visitor.submit('/forgot', { email: ADA });
  const guess = (code: string, address: string) =>
    visitor.copy().submit('/reset', { code, password: 'another horse battery' }, { address });
  const statuses = [];
  for (let i = 0; i < 30; i += 1) statuses.push((await guess(wrong(codeOf(ADA)), `198.51.100.${i}`)).status);
  expect(statuses.filter((status) => status === 422)).toHaveLength(10);
  expect((await guess(codeOf(ADA), '192.0.2.1')).status).toBe(429);
});

test('a code is mailed to one address five times at most, by all forms together', async () => {
  const { newVisitor, world } = newDashboard();
  const mails = () => world.identities.mails.length;
  const account = { email: ADA, password: PASSWORD };
  const ada = newVisitor();
  await ada.submit('/sign-up', account);
  await ada.submit('/resend');
  await newVisitor().submit('/sign-up', account);
  await newVisitor().submit('/forgot', account);
  // Its password is right, and its address not confirmed.
  expect((await newVisitor().submit('/sign-in', account)).location).toBe('/confirm');
  expect(mails()).toBe(4);
  for (const path of ['/sign-up', '/forgot', '/resend']) {
    const { status, text } = await ada.submit(path, account);
    expect([path, status, text]).toEqual([path, 429, expect.stringContaining('Try again in')]);
  }
  expect((await newVisitor().submit('/sign-in', account)).location).toBe('/confirm');
  expect(mails()).toBe(4);
  world.pass(3 * 60_000);
  expect((await ada.submit('/sign-up', account)).location).toBe('/confirm');
  expect(mails()).toBe(5);
});

test('a code is refused to an address without an account after as many requests', async () => {
  const { newVisitor } = await member();
  const statuses = async (email: string) => {
    const answers = [];
    for (let i = 0; i < 7; i += 1) answers.push(await newVisitor().submit('/forgot', { email }));
    return answers.map(({ status, text, location }) => [status, text, location]);
  };
  // The first code of Ada's was for the sign-up.
  const [known, unknown] = [await statuses(ADA), await statuses('nobody@example.com')];
  expect(known.filter(([status]) => status === 303)).toHaveLength(4);
  expect(unknown.filter(([status]) => status === 303)).toHaveLength(5);
  expect(known.at(-1)?.[1]).toBe(String(unknown.at(-1)?.[1]).replace('nobody@example.com', ADA));
});

describe('an address that has an account', () => {
  const forms = [
    ['/sign-up', { password: 'a stranger chose this' }],
    ['/forgot', {}],
    ['/sign-in', { password: 'a stranger guessed this' }],
    ['/reset', { code: '123456', password: 'a stranger chose this' }],
  ] as const;

  test.each(forms)('is treated by %s like an unknown address, in body and time', async (path, fields) => {
    const takes = (email: string) => (email === ADA ? 900 : 100);
    const { world, newVisitor } = await member(ADA, newDashboard({ takes }));
    const outcome = async (email: string) => {
      const visitor = newVisitor();
      if (path === '/reset') await visitor.submit('/forgot', { email });
      const startedAt = world.now().getTime();
      const { status, location, html, cookies } = await visitor.submit(path, { email, ...fields });
      const after = location === undefined ? undefined : (await visitor.get(location)).html;
      return JSON.stringify([
        [status, location, html, after],
        cookies.map((cookie) => cookie.replace(/=[^;]*/, '')),
        world.now().getTime() - startedAt,
      ]).replaceAll(email, 'THE ADDRESS');
    };
    expect(await outcome(ADA)).toBe(await outcome('nobody@example.com'));
  });

  test('keeps its password when a stranger signs up with it', async () => {
    const { newVisitor } = await member();
    const stranger = newVisitor();
    await stranger.submit('/sign-up', { email: ADA, password: 'a stranger chose this' });
    expect((await stranger.submit('/confirm', { code: '123456' })).status).toBe(422);
    expect((await stranger.signIn(ADA, 'a stranger chose this')).status).toBe(422);
    expect((await newVisitor().signIn(ADA)).location).toBe('/');
  });
});

test.each(['/sign-up', '/sign-in', '/forgot', '/join'])(
  'a form: %s refuses the 31st attempt of one network',
  async (path) => {
    const { newVisitor } = newDashboard();
    const attempt = (i: number) =>
      newVisitor().submit(
        path,
        { email: `user-${i}@example.com`, password: PASSWORD },
        { address: i % 2 === 0 ? `2001:db8:0:1::${i}` : `2001:db8:0:1:${i}:0:0:1` },
      );
    const shown = await Promise.all(Array.from({ length: 31 }, (_, i) => attempt(i)));
    expect(shown.filter(({ status }) => status === 429)).toHaveLength(1);
  },
);

test('a form is refused from another site, and from a browser that does not say', async () => {
  const { visitor, world } = await member();
  for (const headers of [
    {},
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'http://account.example.com' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://account.example.com', 'Sec-Fetch-Site': 'same-site' },
  ] as Record<string, string>[]) {
    const { status, text } = await visitor.submit('/end-sessions', {}, { headers });
    expect([status, text]).toEqual([400, expect.stringContaining('not sent from this site')]);
  }
  expect((await visitor.get('/')).status).toBe(200);
  const [organization] = await world.organizations.list();
  expect(organization?.status).toBe('active');
});

test.each([
  ['email', { email: 'not an address' }],
  ['email', { email: 'аda@example.com' }],
  ['email', { email: `${'a'.repeat(250)}@example.com` }],
  ['password', { password: 'short' }],
  ['password', { password: 'Password1234' }],
  ['organization', { organization: 'x'.repeat(61) }],
])('a form shows a fault of its %s beside the field, and what was typed', async (name, bad) => {
  const { newVisitor } = newDashboard();
  const fields = { email: ADA, password: PASSWORD, ...bad };
  const { status, html } = await newVisitor().submit('/sign-up', fields);
  expect([status, html]).toEqual([422, expect.stringContaining(`id="sign-up-${name}-fault"`)]);
  expect(html).toContain(`value="${fields.email}"`);
  expect(html).not.toContain(fields.password);
});

test('a form larger than any of its kind is read as an empty one', async () => {
  const { newVisitor } = await member();
  const huge = { email: ADA, password: PASSWORD, more: 'x'.repeat(100_000) };
  expect((await newVisitor().submit('/sign-in', huge)).status).toBe(422);
});

test('keys are created, shown once, listed without their secret, and revoked', async () => {
  const { visitor, world } = await member();
  const key = (await visitor.newKey('checkout')) ?? '';
  const { html, text } = await visitor.get('/keys');
  expect(text).toContain(`checkout sf_…${key.slice(-4)}`);
  expect(html).not.toContain(key);
  const id = key.split('_')[2] ?? '';
  const question = await visitor.get(`/revoke-key?key=${id}`);
  expect(question.text).toMatch(/Revoke checkout\? sf_….* Last used Never .*get 401 within 15 seconds/);
  expect(question.text).not.toContain('the only key');
  const revoked = await visitor.submit('/revoke-key', { key: id });
  const after = await visitor.get(revoked.location ?? '');
  expect(after.text).toContain('stops working everywhere within 15 seconds');
  expect(after.text).not.toContain('checkout');
  expect(await world.keys.find(id)).toMatchObject({ status: 'revoked' });
});

test('keys are made once by a form that is sent twice', async () => {
  const { visitor, world } = await member();
  const once = hidden((await visitor.get('/keys')).html, 'once');
  const send = () => visitor.submit('/keys', { name: 'twice', once });
  const answers = await Promise.all([send(), send()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect((await send()).text).toContain('already sent');
  const [organization] = await world.organizations.list();
  expect(await world.keys.list(organization?.id ?? '')).toHaveLength(2);
});

test.each([
  ['of 4 KB', 'k'.repeat(4_096), 'Use at most 60 characters.'],
  ['that turns its direction', 'live\u{202e}txet', 'invisible characters'],
  ['of spaces', '   ', 'Enter a name.'],
])('keys get no name %s', async (_, name, message) => {
  const { visitor } = await member();
  const once = hidden((await visitor.get('/keys')).html, 'once');
  const { status, text } = await visitor.submit('/keys', { name, once });
  expect([status, text]).toEqual([422, expect.stringContaining(message)]);
});

test('keys of another organization can be neither seen nor revoked', async () => {
  const dashboard = newDashboard();
  const { key } = await member(ADA, dashboard);
  const { visitor: grace, world } = await member(GRACE, dashboard);
  const id = key.split('_')[2] ?? '';
  expect((await grace.get('/keys')).text).not.toContain(key.slice(-4));
  expect((await grace.get(`/revoke-key?key=${id}`)).status).toBe(404);
  expect((await grace.submit('/revoke-key', { key: id })).status).toBe(404);
  expect((await grace.submit('/revoke-key', { key })).status).toBe(404);
  expect(await world.keys.find(id)).toMatchObject({ status: 'active' });
});

test('keys are stored as their hashes alone', async () => {
  const { key, world } = await member();
  const stored = await world.keys.find(key.split('_')[2] ?? '');
  expect(stored?.hash).toBe(sha256(key));
  expect(JSON.stringify(stored)).not.toContain(key.split('_')[3]?.slice(0, 8));
});

test('keys say so when there are none, and before the last is revoked', async () => {
  const { visitor, key } = await member();
  const { text } = await visitor.get(`/revoke-key?key=${key.split('_')[2] ?? ''}`);
  expect(text).toContain('It is the only key that works');
  await visitor.submit('/revoke-key', { key: key.split('_')[2] ?? '' });
  expect((await visitor.get('/keys')).text).toContain('There are no keys.');
  expect((await visitor.get('/')).text).toContain('There is no key yet.');
});

test('a session ends after 12 hours without a request, and in any case after seven days', async () => {
  const { visitor, world } = await member();
  for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
    world.pass(8 * HOUR_MS);
    expect((await visitor.get('/')).status).toBe(200);
  }
  world.pass(8 * HOUR_MS);
  expect((await visitor.get('/')).location).toBe('/sign-in');
  await visitor.signIn(ADA);
  world.pass(12 * HOUR_MS);
  expect((await visitor.get('/keys')).location).toBe('/sign-in');
});

test('a session that was stolen ends with its own, and with all of them', async () => {
  const { visitor, newVisitor } = await member();
  const thief = visitor.copy();
  expect((await thief.get('/')).status).toBe(200);
  const out = await visitor.submit('/sign-out');
  expect(out.headers['Clear-Site-Data']).toBe('"cache", "cookies", "storage"');
  expect((await thief.get('/')).location).toBe('/sign-in');

  await visitor.signIn(ADA);
  const another = visitor.copy();
  const elsewhere = newVisitor();
  await elsewhere.signIn(ADA);
  expect((await visitor.get('/')).status).toBe(200);
  await elsewhere.submit('/end-sessions');
  for (const each of [visitor, another, elsewhere]) expect((await each.get('/')).location).toBe('/sign-in');
});

test('a session continues in the browser that changes the password, and ends in all others', async () => {
  const { visitor } = await member();
  const thief = visitor.copy();
  const change = { present: PASSWORD, password: 'another horse battery' };
  expect(
    (await visitor.submit('/change-password', { ...change, present: 'wrong one, sorry' })).text,
  ).toContain('not your current password');
  expect((await visitor.submit('/change-password', change)).location).toBe('/settings?notice=password');
  expect((await visitor.get('/settings')).status).toBe(200);
  expect((await thief.get('/settings')).location).toBe('/sign-in');
});

test('a session ends when its user is removed from the organization', async () => {
  const { visitor, world } = await member();
  const [organization] = await world.organizations.list();
  const [ada] = await world.people.membersOf(organization?.id ?? '');
  await world.people.remove(ada?.id ?? '');
  expect((await visitor.get('/keys')).location).toBe('/sign-in');
  expect((await visitor.submit('/keys', { name: 'late', once: '1' })).location).toBe('/sign-in');
  expect(await world.keys.list(organization?.id ?? '')).toHaveLength(1);
});

test('a session is stored as its hash alone', async () => {
  const { visitor, world } = await member();
  const secret = visitor.jar.get(SESSION) ?? '';
  expect(await world.sessions.find(secret)).toBeUndefined();
  expect(await world.sessions.find(sha256(secret))).toBeDefined();
});

test('a session is replaced at each sign-in, so that a planted one is useless', async () => {
  const { newVisitor, visitor: signedIn } = await member();
  const thief = signedIn.copy();
  await signedIn.signIn(ADA);
  expect((await signedIn.get('/')).status).toBe(200);
  expect((await thief.get('/')).location).toBe('/sign-in');
  const visitor = newVisitor(new Map([[SESSION, 'A'.repeat(43)]]));
  await visitor.signIn(ADA);
  expect(visitor.jar.get(SESSION)).toMatch(/^[\w-]{43}$/);
  expect(visitor.jar.get(SESSION)).not.toBe('A'.repeat(43));
});

test('a session is kept in a cookie of this host only; on this machine, without TLS', async () => {
  const { welcome } = await member();
  expect(welcome.cookies[0]).toMatch(
    /^__Host-sitefetch-session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
  );
  const local = newDashboard({ host: 'localhost:3001', mount: '' });
  const { cookies } = await local.newVisitor().join(ADA);
  expect(cookies[0]).toMatch(
    /^sitefetch-session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
  );
});

test('settings change the name, which is shown as text whatever it is', async () => {
  const { visitor } = await member();
  const name = `<script>alert("1")</script>'&`;
  expect((await visitor.submit('/rename', { name })).location).toBe('/settings?notice=renamed');
  const { html } = await visitor.get('/settings');
  expect(html).toContain('value="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;"');
  await visitor.newKey(name);
  for (const path of ['/', '/keys', '/settings'])
    expect((await visitor.get(path)).html.match(/<script[^>]*>/g), path).toEqual([
      expect.stringMatching(/^<script src="\/prod\/assets\/dashboard\.js\?v=\w+" defer>$/),
    ]);
});

test('settings change the name of the organization, which every page shows, for admins alone', async () => {
  const { visitor, world } = await member();
  expect((await visitor.get('/keys')).text).toContain('Menu ada Home');
  const wrong = await visitor.submit('/rename-organization', { organization: ' ' });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('Enter a name.')]);
  await visitor.submit('/rename-organization', { organization: 'Analytical Engines' });
  expect((await visitor.get('/keys')).text).toContain('Menu Analytical Engines Home');
  const [organization] = await world.organizations.list();
  expect(organization).toMatchObject({ name: 'Analytical Engines', plan: 'free' });
  const [ada] = await world.people.membersOf(organization?.id ?? '');
  await world.people.changeRole(ada?.id ?? '', 'developer', world.now());
  expect((await visitor.get('/settings')).html).not.toContain('/rename-organization');
  expect((await visitor.submit('/rename-organization', { organization: 'x' })).status).not.toBe(303);
});

test('a new name of the organization does not undo what an operator changes at that moment', async () => {
  const { visitor, world } = await member();
  const [before] = await world.organizations.list();
  const id = before?.id ?? '';
  await setStatus(world, id, 'suspended');
  // Reads of DynamoDB may be a moment behind.
  world.organizations.find = () => Promise.resolve(before);
  await visitor.submit('/rename-organization', { organization: 'Analytical Engines' });
  const [after] = await world.organizations.list();
  expect(after).toMatchObject({ name: 'Analytical Engines', status: 'suspended' });
});

test('a new password is none of the commonest, in settings and after a reset', async () => {
  const { visitor, newVisitor, codeOf } = await member();
  const guess = { password: 'qwertyuiop123' };
  const changed = await visitor.submit('/change-password', { present: PASSWORD, ...guess });
  await newVisitor().submit('/forgot', { email: ADA });
  const other = newVisitor();
  await other.submit('/forgot', { email: ADA });
  const reset = await other.submit('/reset', { code: codeOf(ADA), ...guess });
  for (const { status, text } of [changed, reset])
    expect([status, text]).toEqual([422, expect.stringContaining('easy to guess')]);
});

test('settings show whether a password is right ten times at most', async () => {
  const forms = ['/change-password', '/delete-account'];
  for (const path of forms) {
    const { visitor } = await member();
    const statuses = [];
    for (let i = 0; i < 12; i += 1)
      statuses.push((await visitor.submit(path, { present: 'wrong one, sorry', password: PASSWORD })).status);
    expect(
      statuses.filter((status) => status === 422),
      path,
    ).toHaveLength(10);
    expect((await visitor.submit(path, { present: PASSWORD, password: PASSWORD })).status, path).toBe(429);
  }
});

test('settings delete the account with its password, and with the last member every key', async () => {
  const { visitor, world, key } = await member();
  expect((await visitor.get('/delete-account')).text).toContain('all keys of the organization stop working');
  expect((await visitor.submit('/delete-account', { present: 'wrong one, sorry' })).status).toBe(422);
  const gone = await visitor.submit('/delete-account', { present: PASSWORD });
  expect(gone.location).toBe('/sign-in?notice=deleted');
  expect(await world.keys.find(key.split('_')[2] ?? '')).toMatchObject({ status: 'revoked' });
  expect((await visitor.get('/')).location).toBe('/sign-in');
  expect((await visitor.submit('/delete-account', { present: PASSWORD })).location).toBe('/sign-in');
  expect((await visitor.signIn(ADA)).status).toBe(422);
});

const paths = pageRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path);

test.each([
  '/',
  '/keys',
  '/members',
  '/playground',
  '/settings',
  '/sign-up',
  '/sign-in',
  '/forgot',
  '/join',
  '/nothing/here',
])('every page: %s is small, is not cached, and forbids content from elsewhere', async (path) => {
  const { visitor } = await member();
  const { html, headers } = await visitor.get(path);
  expect(html.length).toBeLessThan(60_000);
  expect(headers).toMatchObject({
    'Cache-Control': 'no-store',
    'Strict-Transport-Security': 'max-age=63072000',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
  });
  expect(headers['Content-Security-Policy']).toMatch(/^default-src 'self'; .*frame-ancestors 'none'/);
  expect(html).not.toMatch(/\sstyle=|\son\w+=|<script(?! src="\/prod\/assets)|<style/);
  expect(html.match(/(?:src|href|action)="(?!\/prod\/|#main|https:\/\/api\.example\.com)[^"]*"/g)).toBeNull();
});

test('every page leads visitors to sign in where it needs a session', async () => {
  const { newVisitor } = newDashboard();
  for (const { method, path, auth } of pageRoutes) {
    if (auth === 'none') continue;
    const visitor = newVisitor();
    const shown = method === 'GET' ? await visitor.get(path) : await visitor.submit(path);
    expect([path, shown.status, shown.location]).toEqual([path, 303, '/sign-in']);
  }
  expect(paths).toContain('/keys');
});

test('every page returns 404 and 405 as pages, and HEAD without a body', async () => {
  const { newVisitor } = newDashboard();
  const visitor = newVisitor();
  expect(await visitor.get('/nothing')).toMatchObject({
    status: 404,
    text: expect.stringContaining('Not Found') as string,
  });
  const put = await visitor.submit('/settings/none');
  expect(put.status).toBe(404);
  expect(await visitor.get('/resend')).toMatchObject({ status: 405, headers: { Allow: 'POST' } });
  expect(await visitor.head('/sign-in')).toMatchObject({ status: 200, html: '' });
  expect((await visitor.get('/assets/handler.ts')).status).toBe(404);
  const css = await visitor.get('/assets/dashboard.css');
  expect(css.headers).toMatchObject({ 'Content-Type': 'text/css; charset=utf-8' });
});

test('sign-ups, refused sign-ins and mailed codes are counted', async () => {
  const { world, visitor } = await member();
  await visitor.signIn(ADA, `${PASSWORD}!`);
  await visitor.submit('/forgot', { email: ADA });
  await visitor.submit('/sign-up', { email: ADA, password: PASSWORD });
  expect(world.counted).toEqual([
    ['SignUps', 1],
    ['CodesMailed', 1],
    ['SignInsRefused', 1],
    ['CodesMailed', 1],
  ]);
});

test('no key, code, password or session is logged, or shown where it is not due', async () => {
  const { visitor, lines, world, key } = await member();
  const second = (await visitor.newKey('second')) ?? '';
  const secrets = [
    key,
    second,
    PASSWORD,
    ...visitor.jar.values(),
    ...world.identities.mails.map(({ code }) => code),
  ];
  const pages = await Promise.all(['/', '/keys', '/settings', '/sign-in'].map((path) => visitor.get(path)));
  const searched = JSON.stringify([
    lines,
    pages.map(({ html, headers, location }) => [html, headers, location]),
  ]);
  for (const secret of secrets) expect(searched).not.toContain(secret);
  expect([...visitor.jar.values()].join()).not.toMatch(/sf_live|\./);
  expect(lines).toContainEqual(
    expect.objectContaining({ operation: 'createKey', status: 200, level: 'info' }),
  );
});
