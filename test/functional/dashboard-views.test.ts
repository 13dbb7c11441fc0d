import { expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { serviceOver } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';
import { hidden, keyIn, newDashboard } from '../support/world/visitor.ts';

const SCRAPE = '/api/v1/scraper';
const DAY_MS = 24 * 60 * 60 * 1_000;
const url = 'https://example.com/';

/** A signed-in member whose key has made scrapes. */
async function member(email = 'ada@example.com', dashboard = newDashboard()) {
  const { world } = dashboard;
  const visitor = dashboard.newVisitor();
  const key = keyIn((await visitor.join(email)).html) ?? '';
  const service = serviceOver(world);
  const scrape = (body: object, by = key) => {
    world.pass(1);
    return service.post(SCRAPE, by, body);
  };
  world.web[url] = page('hello');
  world.web['https://broken.example/'] = page('sorry', { status: 500 });
  world.web['https://dead.example/'] = new AppError('connect_failed');
  return { ...dashboard, visitor, key, service, scrape };
}

/** One plain and one rendered page, a failing target, and an unreachable one. */
async function user() {
  const it = await member();
  const answers = [
    await it.scrape({ url }),
    await it.scrape({ url, render_js: true }),
    await it.scrape({ url: 'https://broken.example/' }),
    await it.scrape({ url: 'https://dead.example/' }),
  ];
  const charged = answers.reduce((sum, { headers }) => sum + Number(headers['X-Credits-Used']), 0);
  const ids = answers.map(({ headers }) => headers['X-Request-Id'] ?? '');
  return { ...it, charged, ids };
}

const tableOf = (html: string, caption: string) => {
  const [, after = ''] = html.split(new RegExp(`<caption>\\s*${caption}\\s*</caption>`));
  const rows = after.slice(0, after.indexOf('</table>')).split('<tr>').slice(1);
  return rows.map((row) =>
    row
      .split(/<\/t[hd]>/)
      .map((cell) => cell.replaceAll(/<[^>]*>|\s+/g, ' ').trim())
      .filter((cell) => cell !== ''),
  );
};
const linesOf = (html: string) => [...html.matchAll(/\/activity\/([\w-]{36})/g)].map(([, id]) => id);

test('repeats are shown as free pages, in usage and in their details', async () => {
  const { visitor, scrape } = await member();
  for (let n = 0; n < 2; n += 1) await scrape({ url, max_age: 60 });
  const usage = await visitor.get('/usage');
  expect(usage.text).toContain('Credits 1 Scrapes 2 Succeeded 2 Failed 0');
  expect(tableOf(usage.html, 'Scrapes by reason').at(-1)).toEqual([
    'A kept page was delivered, free of charge.',
    '1',
    '50%',
  ]);
  const [latest = ''] = linesOf((await visitor.get('/activity')).html);
  const { text } = await visitor.get(`/activity/${latest}`);
  expect(text).toContain('0 credits. A kept page was delivered, free of charge.');
  expect(text).toContain('Cache A kept page was returned.');
});

test('usage adds up to what was charged, by day and kind, reason, key and host', async () => {
  const { visitor, charged } = await user();
  const { html, text } = await visitor.get('/usage');
  expect([charged, text]).toEqual([6, expect.stringContaining('Credits 6 Scrapes 4 Succeeded 2 Failed 2')]);
  expect(tableOf(html, 'Credits by day, November 2026')).toEqual([
    ['Day', 'Plain', 'Rendered', 'All'],
    ['2026-11-21', '1', '5', '6'],
    ['All', '1', '5', '6'],
  ]);
  expect(tableOf(html, 'Scrapes by day, November 2026').at(-1)).toEqual(['All', '3', '1', '4']);
  expect(tableOf(html, 'Scrapes by reason').slice(1)).toEqual([
    ['A page was delivered and charged.', '2', '50%'],
    ['The target returned a status that is not charged.', '1', '25%'],
    ['No page came back, so nothing was charged.', '1', '25%'],
  ]);
  expect(tableOf(html, 'Usage by key').slice(1)).toEqual([['first', '4', '50%', '6']]);
  expect(tableOf(html, 'Usage by host').slice(1)).toEqual([
    ['example.com', '2', '100%', '6'],
    ['dead.example', '1', '0%', '0'],
    ['broken.example', '1', '0%', '0'],
  ]);
});

test('usage has a chart that says its numbers, with a bar for each day and kind', async () => {
  const { visitor, world, scrape } = await user();
  world.pass(DAY_MS);
  await visitor.signIn('ada@example.com');
  await scrape({ url });
  const { html, text } = await visitor.get('/usage');
  expect(text).toContain('7 credits in all, the most on 2026-11-21: 6.');
  const [, svg = ''] = /aria-labelledby="credits-title credits-desc"([\s\S]*?)<\/svg>/.exec(html) ?? [];
  expect([...svg.matchAll(/class="(kind-\w+)"[\s\S]*?height="([\d.]+)"/g)].map(([, ...bar]) => bar)).toEqual([
    ['kind-plain', '16.67'],
    ['kind-rendered', '83.33'],
    ['kind-plain', '16.67'],
  ]);
  expect(svg).toContain('<title>2026-11-22: 1 credit</title>');
  const [, days = ''] = /<fieldset class="days">([\s\S]*?)<\/fieldset>/.exec(html) ?? [];
  expect(days.match(/type="radio" name="credits-day"/g)).toHaveLength(22);
  expect(days).toContain('>2026-11-21: 6 credits (Plain 1, Rendered 5)<');
});

test('usage of an earlier month is found by its name, and tables from the last 30 days say so', async () => {
  const { visitor, world, scrape } = await user();
  world.pass(40 * DAY_MS);
  await visitor.signIn('ada@example.com');
  await scrape({ url });
  expect((await visitor.get('/usage')).text).toContain('Credits 1 Scrapes 1');
  const { html, text } = await visitor.get('/usage?month=2026-11');
  expect(text).toContain('Credits 6 Scrapes 4');
  expect(text).toContain('kept for 30 days. It has 0 of the 4 scrapes of November 2026.');
  expect(html).toMatch(/<option value="2026-11" selected>/);
  expect((await visitor.get('/usage?month=2026-10')).text).toContain(
    'There were no scrapes in October 2026.',
  );
  expect(html.match(/<option/g)).toHaveLength(14);
});

test.each(['2025-09', '2027-01', '2026-13', 'x', '<script>', '2026-11&month=2026-10'])(
  'usage has no month %s, and says which there are',
  async (month) => {
    const { visitor } = await user();
    const { status, html } = await visitor.get(`/usage?month=${month}`);
    expect([status, html]).toEqual([422, expect.stringContaining('Choose a month from 2025-10 to 2026-11')]);
    expect(html).toContain('aria-invalid="true"');
    expect((await visitor.get(`/usage.csv?month=${month}`)).status).toBe(400);
  },
);

test('a file of usage has a row for each day and kind', async () => {
  const { visitor } = await user();
  const { headers, html } = await visitor.get('/usage.csv?month=2026-11');
  expect(headers).toMatchObject({
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': 'attachment; filename="sitefetch-usage-2026-11-by-day.csv"',
    'X-Content-Type-Options': 'nosniff',
  });
  expect(html.split('\r\n')).toEqual([
    'day,kind,scrapes,succeeded,failed,credits,page,target_status,no_page,refused,wall,cached,duplicate',
    '2026-11-21,plain,3,1,2,1,1,1,1,0,0,0,0',
    '2026-11-21,rendered,1,1,0,5,1,0,0,0,0,0,0',
    '',
  ]);
  expect((await visitor.get('/usage.csv?by=host')).html).toContain('\r\nexample.com,2,2,0,6\r\n');
  expect((await visitor.get('/usage.csv?by=year')).text).toContain('There are files by day, key and host.');
});

test.each([
  ['=1+1', `'=1+1`],
  ['@SUM(A1)', `'@SUM(A1)`],
  ['-2', `'-2`],
  [`=HYPERLINK("https://evil.example","a")`, `"'=HYPERLINK(""https://evil.example"",""a"")"`],
  ['a, "b"', '"a, ""b"""'],
])('a file of usage holds the name %s as text', async (name, cell) => {
  const { visitor, scrape } = await member();
  await scrape({ url }, await visitor.newKey(name));
  const { html } = await visitor.get('/usage.csv?by=key');
  expect(html).toMatch(/^key_id,name,scrapes,succeeded,failed,credits\r\n/);
  expect(html.split('\r\n')[1]?.replace(/^\w{12},/, '')).toBe(`${cell},1,1,0,1`);
});

test('activity lists scrapes, newest first, each with a page of its own', async () => {
  const { visitor, ids, scrape } = await user();
  const { html, text } = await visitor.get('/activity');
  expect(linesOf(html)).toEqual(ids.toReversed());
  expect(text).toContain('500 broken.example/ Plain 0 ');
  expect(text).toContain('connect_failed dead.example/');
  await scrape({ url: 'https://example.com/a?token=secret' });
  const shown = await visitor.get('/activity');
  expect(shown.text).toContain('example.com/a');
  expect(shown.html).not.toContain('secret');
});

test('activity has every line on one page', async () => {
  const { visitor, scrape } = await member();
  for (let i = 0; i < 57; i += 1) await scrape({ url });
  const seen: (string | undefined)[] = [];
  let next: string | undefined = '/activity?host=example.com';
  for (let pages = 0; next !== undefined && pages < 5; pages += 1) {
    const { html } = await visitor.get(next);
    seen.push(...linesOf(html));
    next = /rel="next" href="\/prod([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  }
  expect([seen.length, new Set(seen).size]).toEqual([57, 57]);
  expect(seen).toEqual(seen.toSorted().reverse());
});

test.each([
  ['host=EXAMPLE.com', 2],
  ['status=500&host=&code=&key_id=&from=&to=', 1],
  ['code=connect_failed', 1],
  ['status=200&host=broken.example', 0],
  ['from=2026-11-21&to=2026-11-21', 4],
  ['to=2026-11-20', 0],
])('activity can be filtered by %s', async (filter, count) => {
  const { visitor } = await user();
  const { html, text } = await visitor.get(`/activity?${filter}`);
  expect(linesOf(html)).toHaveLength(count);
  expect(text.includes('No scrape matches.')).toBe(count === 0);
  expect(html).toContain('<details class="card filters" open>');
});

test('activity can be filtered by key, revoked ones included', async () => {
  const { visitor, scrape } = await user();
  const second = (await visitor.newKey('second')) ?? '';
  await scrape({ url }, second);
  const [, , id = ''] = second.split('_');
  await visitor.submit('/revoke-key', { key: id });
  const { html } = await visitor.get(`/activity?key_id=${id}`);
  expect(linesOf(html)).toHaveLength(1);
  expect(html).toMatch(new RegExp(`<option value="${id}" selected>\\s*second`));
});

test.each([
  ['status=many', 'status', 'expected a whole number'],
  ['status=99', 'status', 'expected a whole number from 100 to 599'],
  ['code=nothing', 'code', "Invalid value for 'code'"],
  ['from=yesterday', 'from', 'expected a UTC date such as 2026-11-21'],
  ['to=2026-02-30', 'to', 'expected a UTC date'],
  ['host=a&host=b', 'host', "Parameter 'host' is given more than once."],
  ['cursor=nonsense', undefined, "Invalid value for 'cursor'"],
  ['hots=a', undefined, "Unknown field 'hots'. Did you mean 'host'?"],
])('activity says what is wrong with %s', async (query, field, message) => {
  const { visitor } = await user();
  const { status, text, html } = await visitor.get(`/activity?${query}`);
  expect(status).toBe(422);
  expect(text).toContain(message.replaceAll("'", '&#39;'));
  if (field !== undefined) expect(html).toContain(`id="${field}-fault"`);
  expect(linesOf(html)).toEqual([]);
});

test('activity says so where there is nothing yet', async () => {
  const { visitor } = await member();
  expect((await visitor.get('/activity')).text).toContain('No scrapes yet.');
  expect((await visitor.get('/usage')).text).toContain('There were no scrapes in November 2026.');
});

test('the page of a scrape has all that is known, and a command that requests the same again', async () => {
  const { visitor, scrape, service, key } = await member();
  const body = { url: "https://example.com/it's?q=secret", render_js: true, device: 'mobile', wait: 10 };
  const answer = await scrape({ ...body, headers: { 'X-Token': 'secret' } });
  const shown = await visitor.get(`/activity/${answer.headers['X-Request-Id'] ?? ''}`);
  expect(shown.status).toBe(200);
  expect(shown.text).toContain(`Request ${answer.headers['X-Request-Id'] ?? ''}`);
  expect(shown.text).toContain('device mobile');
  expect(shown.text).toContain('0 credits. No page came back, so nothing was charged.');
  expect(shown.html).toContain('https://api.example.com/docs/errors/dns_failed');
  expect(shown.html).not.toMatch(/secret|sf_live_\w{20}/);
  const [, command = ''] = /<code>(curl [\s\S]*?)<\/code>/.exec(shown.html) ?? [];
  const plain = command.replaceAll('&#39;', "'").replaceAll('&quot;', '"');
  expect(plain).toContain('"Authorization: Bearer $SITEFETCH_KEY"');
  const [, sent = ''] = /--data '(.*)'$/s.exec(plain) ?? [];
  const request: unknown = JSON.parse(sent.replaceAll(String.raw`'\''`, "'"));
  expect(request).toEqual({ url: "https://example.com/it's", render_js: true, device: 'mobile', wait: 10 });
  expect((await service.post(SCRAPE, key, request)).json.code).toBe('dns_failed');
});

test('a map is listed as such, and its page has a command that repeats it', async () => {
  const { visitor, service, key } = await member();
  const answer = await service.post('/api/v1/map', key, { url });
  expect((await visitor.get('/activity')).text).toMatch(
    /Map of a site 0 \d+ first 2026-11-21 12:00:\d\d UTC/,
  );
  const { text } = await visitor.get(`/activity/${answer.headers['X-Request-Id'] ?? ''}`);
  expect(text).toContain('https://api.example.com/api/v1/map');
});

test('the page of a scrape of a job is found through the list', async () => {
  const { visitor, service, key } = await member();
  const { json } = await service.post(`${SCRAPE}/jobs`, key, { url });
  await service.work();
  const { html } = await visitor.get('/activity');
  const path = /href="\/prod(\/activity\/[^"]+)"/.exec(html)?.[1] ?? '';
  const shown = await visitor.get(path);
  expect(shown.text).toContain(`Job ${String(json.job_id)}`);
  expect(shown.text).toContain('https://api.example.com/api/v1/scraper/jobs');
});

test.each([
  'nothing',
  '019e2f3a-5b61-7d2e-8a3f-4b5c6d7e8f90',
  'a?time=never',
  'ffffffff-ffff-7fff-8fff-ffffffffffff',
])('the page of a scrape is not found by %s', async (id) => {
  const { visitor } = await user();
  expect(await visitor.get(`/activity/${id}`)).toMatchObject({ status: 404 });
});

test('the page of a scrape of another organization is neither found nor listed, even with its own cursor', async () => {
  const it = await user();
  for (let i = 0; i < 30; i += 1) await it.scrape({ url });
  const cursor = /cursor=([\w-]+)/.exec((await it.visitor.get('/activity')).html)?.[1] ?? '';
  const { visitor } = await member('grace@example.com', it);
  expect((await visitor.get(`/activity/${it.ids[0] ?? ''}`)).status).toBe(404);
  for (const path of ['/activity', `/activity?cursor=${cursor}`]) {
    const { html, status } = await visitor.get(path);
    expect([status, linesOf(html)]).toEqual([200, []]);
  }
  expect((await visitor.get('/usage')).text).toContain('There were no scrapes');
});

test('limits show the credits granted, used and held, and how to get more', async () => {
  const { visitor, world } = await user();
  const [organization] = await world.organizations.list();
  const { text } = await visitor.get('/limits');
  expect(text).toContain('Granted 1,000 for this month Used 6 charged this month Held 0');
  expect(text).toContain('Available 994 left to spend Renewed 2026-12-01 00:00 UTC');
  expect(text).toContain('Scrapes a minute 60');
  expect(text).toContain(`id of your organization: ${organization?.id ?? ''}`);
});

test('home turns green with the first call, whether it was charged or not', async () => {
  const { visitor, scrape } = await member();
  const before = await visitor.get('/');
  expect(before.text).toContain('No call has arrived yet.');
  expect(before.html).toContain('data-arrival="/prod/arrived"');
  expect((await visitor.get('/arrived')).html).toBe('{"arrived":false}');
  await scrape({ url: 'https://dead.example/' });
  expect((await visitor.get('/arrived')).html).toBe('{"arrived":true}');
  const after = await visitor.get('/');
  expect(after.text).toContain('Your calls are arriving.');
  expect(after.html).not.toContain('data-arrival');
});

test('home shows credits left, and scrapes and their success in the last 30 days', async () => {
  const { visitor } = await user();
  const { text } = await visitor.get('/');
  expect(text).toContain('994 left this month');
  expect(text).toContain('Renewed 2026-12-01');
  expect(text).toContain('Scrapes 4 Delivered and charged 50% Credits 6');
});

test('every page of a busy month is small, and shows names and hosts as text', async () => {
  const { visitor, world, scrape } = await member();
  const name = '<script>alert(1)</script>';
  const [organization] = await world.organizations.list();
  if (organization) await world.organizations.save({ ...organization, name, plan: 'business' });
  const key = await visitor.newKey(name);
  const long = `https://${'a'.repeat(60)}.example/${'%3Cscript%3E'.repeat(60)}`;
  for (let day = 0; day < 9; day += 1) {
    for (let i = 0; i < 30; i += 1)
      await scrape({ url: `${long}${i}`, render_js: i % 2 === 0, premium_proxy: i % 3 === 0 }, key);
    world.pass(DAY_MS);
  }
  await visitor.signIn('ada@example.com');
  const { html: list } = await visitor.get('/activity');
  for (const path of ['/', '/usage', '/activity', `/activity/${linesOf(list)[0] ?? ''}`, '/limits']) {
    const { html, status } = await visitor.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(html.length, path).toBeLessThan(60_000);
    expect(html.match(/<script(?! src="\/prod\/assets)|\sstyle=/g), path).toBeNull();
    // A URL that was cut would scrape something else.
    expect(html, path).not.toContain('Repeat it');
  }
});

const create = async ({ visitor }: Awaited<ReturnType<typeof member>>, fields: Record<string, string>) =>
  visitor.submit('/keys', { once: hidden((await visitor.get('/keys')).html, 'once'), ...fields });
const idOf = (key: string) => key.split('_')[2] ?? '';

test('a key is created with an expiry and restrictions, which hold, and the list says so', async () => {
  const it = await member();
  const made = await create(it, { name: 'nightly', lasting: '30', route: 'scrape', credits: '1' });
  const key = keyIn(made.html) ?? '';
  expect((await it.scrape({ url }, key)).status).toBe(200);
  expect((await it.scrape({ url }, key)).json.code).toBe('key_not_allowed');
  expect((await it.service.ask('/api/v1/account', { key })).json.code).toBe('key_not_allowed');
  const { text } = await it.visitor.get('/keys');
  expect(text).toContain('by ada@example.com, expires 2026-12-21');
  expect(text).toContain('Only routes: scrape; 1 credit a day');
  expect(text).toContain('Last used 2026-11-21');
  expect(text).toContain('Not used yet');
  it.world.pass(30 * DAY_MS);
  await it.visitor.signIn('ada@example.com');
  expect((await it.visitor.get('/keys')).text).not.toContain('nightly');
});

test.each([
  ['lasting', 'Choose when the key expires.', { lasting: '31' }],
  ['credits', 'Enter a whole number, or nothing.', { credits: '-1' }],
  ['route', 'Choose what the key may call.', { route: 'everything' }],
])('a key is not created with another %s than the form has', async (_, message, bad) => {
  const it = await member();
  const { status, text } = await create(it, { name: 'odd', ...bad });
  expect([status, text]).toEqual([422, expect.stringContaining(message)]);
});

test.each([
  ['none', 0],
  ['hour', 60 * 60 * 1_000],
  ['day', DAY_MS],
])('a key that is rotated with the grace %s ends then, and its successor works', async (grace, ms) => {
  const { visitor, world, key, scrape } = await member();
  const question = await visitor.get(`/rotate-key?key=${idOf(key)}`);
  expect(question.text).toMatch(/Rotate first\? sf_….* get 401; if it ends at once, within 15 seconds/);
  const once = hidden(question.html, 'once');
  const rotate = () => visitor.submit('/rotate-key', { key: idOf(key), grace, once });
  const { html, text } = await rotate();
  const next = keyIn(html) ?? '';
  expect(text.includes('The old key works until')).toBe(ms > 0);
  expect((await scrape({ url }, next)).status).toBe(200);
  expect((await rotate()).text).toContain('This form was already sent');
  world.pass(Math.max(0, ms - 60_000));
  if (ms > 0) expect((await scrape({ url })).status).toBe(200);
  world.pass(60_000);
  expect((await scrape({ url })).status).toBe(401);
});

test('the buttons beside a key change nothing by themselves, and a key that has ended is not rotated', async () => {
  const { visitor, world, key, scrape } = await member();
  const { html } = await visitor.get('/keys');
  expect(html).not.toMatch(/method="post" action="[^"]*\/(rotate|revoke)-key"/);
  expect((await scrape({ url })).status).toBe(200);
  await visitor.submit('/rotate-key', { key: idOf(key), grace: 'hour', once: 'o' });
  world.pass(60 * 60 * 1_000);
  expect((await visitor.get(`/rotate-key?key=${idOf(key)}`)).status).toBe(404);
});

test('a key of another organization is not rotated', async () => {
  const it = await member();
  const { visitor } = await member('grace@example.com', it);
  const once = hidden((await visitor.get('/keys')).html, 'once');
  const fields = { key: idOf(it.key), grace: 'none', once };
  expect((await visitor.get(`/rotate-key?key=${fields.key}`)).status).toBe(404);
  expect((await visitor.submit('/rotate-key', fields)).status).toBe(404);
  expect((await visitor.submit('/rotate-key', { ...fields, grace: 'never' })).status).toBe(422);
  expect((await it.scrape({ url })).status).toBe(200);
});
