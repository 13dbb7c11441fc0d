import { expect, test } from 'vitest';
import { scrapeFields } from '../../shared/contract/scrape/scrape-request.ts';
import { cost } from '../../shared/domain/accounts/credits/charge.ts';
import { fieldSchemas } from '../../shared/request/field-schemas.ts';
import { serviceOver } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';
import { hidden, newDashboard, PASSWORD } from '../support/world/visitor.ts';

const [ADA, GRACE] = ['ada@example.com', 'grace@example.com'];
const MINUTE_MS = 60_000;
const url = 'https://example.com/';

type Made = { api_key: string; expires_at: string; message?: string };

async function member(options: Parameters<typeof newDashboard>[0] = {}) {
  const dashboard = newDashboard(options);
  const { world, newVisitor } = dashboard;
  const service = serviceOver(world);
  world.web[url] = page('<h1>Hello</h1>');
  const ada = newVisitor();
  await ada.join(ADA);
  const newKey = async (by = ada) => {
    const { status, headers, html } = await by.submit('/playground-key');
    return { status, headers, body: JSON.parse(html) as Made };
  };
  const scrape = async (key: string) => (await service.post('/api/v1/scraper', key, { url })).status;
  return { ...dashboard, service, ada, newKey, scrape };
}

test('the key of a page scrapes for ten minutes', async () => {
  const { world, newKey, scrape } = await member();
  const { status, headers, body } = await newKey();
  expect([status, headers['Cache-Control']]).toEqual([201, 'no-store']);
  expect(body.expires_at).toBe(new Date(world.now().getTime() + 10 * MINUTE_MS).toISOString());
  expect(await scrape(body.api_key)).toBe(200);
  world.pass(10 * MINUTE_MS - 1);
  expect(await scrape(body.api_key)).toBe(200);
  world.pass(1);
  expect(await scrape(body.api_key)).toBe(401);
});

test('the key of a page may do nothing but scrape', async () => {
  const { service, newKey } = await member();
  const key = (await newKey()).body.api_key;
  const answers = [
    await service.post('/api/v1/scraper/jobs', key, { url }),
    await service.ask('/api/v1/scraper/jobs/019a0000-0000-7000-8000-000000000000', { key }),
    await service.ask('/api/v1/account', { key }),
    await service.ask('/api/v1/account/usage', { key }),
    await service.ask('/api/v1/account/activity', { key }),
  ];
  expect(answers.map(({ status, json }) => [status, json.code])).toEqual(
    answers.map(() => [403, 'key_not_allowed']),
  );
});

test('the key of a page is in no list of keys, and not the key that Home asks for', async () => {
  const { ada, newKey, world } = await member();
  const [organization] = await world.organizations.list();
  const [first] = await world.keys.list(organization?.id ?? '');
  await ada.submit('/revoke-key', { key: first?.id ?? '' });
  const { body } = await newKey();
  expect((await ada.get('/keys')).text).toContain('There are no keys.');
  expect((await ada.get('/')).text).toContain('There is no key yet.');
  const key = await world.keys.find(body.api_key.split('_')[2] ?? '');
  expect(key).toMatchObject({ name: 'Playground', forgetAt: new Date(body.expires_at) });
});

test('the key of a page is in no page, cookie or log line', async () => {
  const { ada, newKey, lines } = await member();
  const { body } = await newKey();
  const pages = await Promise.all(['/', '/keys', '/playground'].map((path) => ada.get(path)));
  const searched = JSON.stringify([lines, [...ada.jar], pages.map(({ html, headers }) => [html, headers])]);
  expect(searched).not.toContain(body.api_key);
});

test.each([{}, { Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }])(
  'the key of a page is not made for another site: %j',
  async (headers) => {
    const { ada, world } = await member();
    const sent = { headers: headers as Record<string, string> };
    expect((await ada.submit('/playground-key', {}, sent)).status).toBe(400);
    const [organization] = await world.organizations.list();
    expect(await world.keys.list(organization?.id ?? '')).toHaveLength(1);
  },
);

test('the key of a page is made ten times in a quarter of an hour, then no more for a while', async () => {
  const { newKey } = await member();
  const made = [];
  for (let i = 0; i < 11; i += 1) made.push(await newKey());
  expect(made.map(({ status }) => status)).toEqual([...Array<number>(10).fill(201), 429]);
  expect(made.at(-1)?.body.message).toContain('Too many attempts');
});

/** Another member, with a key. */
async function withGrace({ ada, newVisitor, codeOf, newKey }: Awaited<ReturnType<typeof member>>) {
  const once = hidden((await ada.get('/members')).html, 'once');
  const [invitation = ''] = /https:\S+#[\w-]{43}/.exec((await ada.submit('/members', { once })).html) ?? [];
  const grace = newVisitor();
  await grace.submit('/join', { invitation, email: GRACE, password: PASSWORD });
  await grace.submit('/confirm', { code: codeOf(GRACE) });
  await grace.signIn(GRACE);
  return { grace, key: (await newKey(grace)).body.api_key };
}

test('the key of a page ends when its member is removed', async () => {
  const it = await member();
  const { ada, scrape, world } = it;
  const { key } = await withGrace(it);
  const [organization] = await world.organizations.list();
  const members = await world.people.membersOf(organization?.id ?? '');
  const graceId = members.find(({ email }) => email === GRACE)?.id ?? '';
  expect((await ada.submit('/remove-member', { member: graceId })).status).toBe(303);
  expect(await scrape(key)).toBe(401);
});

test('the key of a page ends with the account of its member, also if others stay', async () => {
  const it = await member();
  const { grace, key } = await withGrace(it);
  expect(await it.scrape(key)).toBe(200);
  await grace.submit('/delete-account', { present: PASSWORD });
  expect(await it.scrape(key)).toBe(401);
});

test('the key of a page ends with the account of the last member', async () => {
  const { ada, newKey, scrape } = await member();
  const { body } = await newKey();
  await ada.submit('/delete-account', { present: PASSWORD });
  expect(await scrape(body.api_key)).toBe(401);
});

test('the form has every field of a scrape, with its description', async () => {
  const { ada } = await member();
  const { html, text } = await ada.get('/playground');
  const names = [...html.matchAll(/id="field-(\w+)" name="(\w+)"/g)].map(([, , name]) => name);
  expect(names.sort()).toEqual(Object.keys(scrapeFields).sort());
  const plain = (words: string) => words.replaceAll(/&\w+;|&#\d+;|\W+/g, ' ').trim();
  for (const schema of Object.values(fieldSchemas))
    expect(plain(text)).toContain(plain(String(schema?.description).replaceAll("'", '&#39;')));
  for (const value of ['settled', 'networkidle', 'desktop', 'mobile'])
    expect(html).toContain(`<option>${value}</option>`);
});

test('the form knows what each scrape costs', async () => {
  const { ada } = await member();
  const { html } = await ada.get('/playground');
  const [, costs = ''] = /data-costs="([^"]*)"/.exec(html) ?? [];
  expect(JSON.parse(costs)).toEqual([
    [cost({ renderJs: false, premiumProxy: false }), cost({ renderJs: true, premiumProxy: false })],
    [cost({ renderJs: false, premiumProxy: true }), cost({ renderJs: true, premiumProxy: true })],
  ]);
});

test('the form may call the API from this page only', async () => {
  const { ada } = await member();
  const policyOf = async (path: string) => (await ada.get(path)).headers['Content-Security-Policy'];
  expect(await policyOf('/playground')).toMatch(
    /; connect-src 'self' https:\/\/api\.example\.com; img-src 'self' blob:; frame-src blob:$/,
  );
  for (const path of ['/', '/keys', '/members']) expect(await policyOf(path)).not.toContain('api.example');
});

test('the form says where the API takes its calls, at another address of the dashboard', async () => {
  const { ada } = await member({ host: 'localhost:3001', mount: '' });
  const { html, text, headers } = await ada.get('/playground');
  expect(text).toContain('takes calls from the dashboard at https://account.example.com');
  expect(html).toContain('data-open="false"');
  expect(headers['Content-Security-Policy']).not.toContain('api.example');
});

test('the form says that it needs JavaScript', async () => {
  const { ada } = await member();
  const { html } = await ada.get('/playground');
  expect(html).toMatch(/<noscript\s*>[\s\S]*needs JavaScript/);
  expect(html).toContain('<button class="primary" disabled>Send</button>');
});
