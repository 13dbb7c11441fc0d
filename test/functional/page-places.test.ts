import { expect, test } from 'vitest';
import { readersOf } from '../../shared/domain/accounts/credits/admission.ts';
import { pageLimit } from '../../shared/domain/people/form-limits.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import { newDashboard } from '../support/world/visitor.ts';

const HEAVY = [
  '/usage',
  '/usage.csv',
  '/activity',
  '/jobs',
  '/batches',
  '/crawls',
  '/crawls/x',
  '/batch-results?id=x',
];
const LIGHT = ['/', '/keys', '/limits', '/members', '/settings'];

async function member(email = 'ada@example.com', dashboard = newDashboard()) {
  const visitor = dashboard.newVisitor();
  await visitor.join(email);
  const statuses = async (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await visitor.get(path)).status));
  const organization = async () => {
    const [made] = (await dashboard.world.organizations.list()).slice(-1);
    if (made === undefined) throw new Error('There is no organization.');
    return made;
  };
  return { ...dashboard, dashboard, visitor, statuses, organization: await organization() };
}

test('pages that read much share the places of their organization, and the others need none', async () => {
  const { world, statuses, organization } = await member();
  const until = new Date(world.now().getTime() + 60_000);
  const now = world.now();
  for (let n = 0; n < readersOf(limitsOf(organization)); n++)
    await world.usage.admit(organization, { credits: 0, reader: { id: `r${n}`, until } }, now);
  expect(await statuses(HEAVY)).toEqual(HEAVY.map(() => 429));
  expect(await statuses(LIGHT)).toEqual(LIGHT.map(() => 200));
  world.pass(60_000);
  expect(await statuses(HEAVY)).toEqual([200, 200, 200, 200, 200, 200, 404, 404]);
  expect((await world.usage.read(organization, world.now())).slots.readers).toEqual({});
});

test('an organization gets six hundred pages a minute, and others are not affected', async () => {
  const ada = await member();
  const grace = await member('grace@example.com', ada.dashboard);
  const { rateLimits, now, pass } = ada.world;
  const draw = () => rateLimits.take(`pages#${ada.organization.id}`, pageLimit, now());
  let pages = 0;
  while ((await draw()) === 0) pages += 1;
  expect(pages).toBeGreaterThan(550);
  const { status, headers, text } = await ada.visitor.get('/limits');
  expect([status, headers['Retry-After']]).toEqual([429, '1']);
  expect(text).toContain('Your organization requests many pages. Try again in 1 second.');
  expect((await grace.visitor.get('/limits')).status).toBe(200);
  pass(1_000);
  expect((await ada.visitor.get('/limits')).status).toBe(200);
});
