import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { Organization } from '../../shared/contract/account.ts';
import type { PendingJob } from '../../shared/contract/job.ts';
import { closed, fail } from '../../shared/domain/job.ts';
import { emulatedWorld, type EmulatedWorld } from '../support/emulated-world.ts';
import { NOON, pendingJob } from '../support/jobs.ts';

const HOUR_MS = 60 * 60_000;
const LATER = new Date(NOON.getTime() + HOUR_MS);
/** More than the sweeper looks at in one go, so that a listing is full. */
const DUE = 10;
/** What the emulator takes in within seconds; a scan would show at a tenth of it. */
const SETTLED = 2_000;
const OPEN = 1_000;
const ORGANIZATIONS = 500;
const AT_ONCE = 50;

test(
  'status, the listing of due jobs and an admission cost with thousands stored what they cost with ten',
  { timeout: 120_000 },
  async () => {
    await using world = await emulatedWorld();
    const jobs = Array.from({ length: DUE }, () => pendingJob());
    await each(jobs, (job) => world.jobs.create(job));
    const ours = await newOrganization(world);
    const [job = pendingJob()] = jobs;
    const costs = async () => ({
      status: await cost(world, () => world.jobs.find(job.id)),
      due: await cost(world, () => world.jobs.due(LATER, 100)),
      admission: await cost(world, () => admit(world, ours)),
    });
    // The first admission also opens the month.
    await admit(world, ours);
    const withTen = await costs();

    await each(
      Array.from({ length: SETTLED }, () => pendingJob()),
      (it) => settle(world, it),
    );
    const dueAt = new Date(LATER.getTime() + HOUR_MS);
    await each(
      Array.from({ length: OPEN }, () => pendingJob({ dueAt })),
      (it) => world.jobs.create(it),
    );
    await each(Array.from({ length: ORGANIZATIONS }), () => newOrganization(world));

    expect(withTen.status).toBeGreaterThan(0);
    expect(await world.jobs.due(LATER, 100)).toHaveLength(DUE);
    expect(await costs()).toEqual(withTen);
  },
);

/** Capacity units that DynamoDB counts for it. */
async function cost({ spent }: EmulatedWorld, work: () => Promise<unknown>): Promise<number> {
  const before = spent.length;
  await work();
  return spent.slice(before).reduce((sum, units) => sum + units, 0);
}

async function newOrganization({ accounts }: EmulatedWorld): Promise<Organization> {
  const organization: Organization = {
    id: `org_${v7()}`,
    name: 'Growth',
    plan: 'business',
    status: 'active',
    overrides: {},
    createdAt: NOON,
  };
  await accounts.saveOrganization(organization);
  return organization;
}

/** As long as the slots before it are freed, an item stays as small as it was. */
async function admit({ accounts }: EmulatedWorld, organization: Organization): Promise<void> {
  const slotId = v7();
  const slot = { id: slotId, until: LATER };
  await accounts.admit(organization, { bucket: 'scrape', credits: 1, slot }, NOON);
  await accounts.settle(organization, { slotId, held: 1, charged: 1 }, NOON);
}

async function settle({ jobs }: EmulatedWorld, job: PendingJob): Promise<void> {
  await jobs.create(job);
  await jobs.replace(job, closed(fail(job, { code: 'timeout', message: 'too slow' }, NOON)));
}

/** Some at a time: the emulator is one process. */
async function each<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE)
    await Promise.all(items.slice(at, at + AT_ONCE).map(work));
}
