import type { Organization } from '../../contract/accounts/account.ts';
import type { Store, StoredThing } from '../../ports/accounts.ts';
import type { Effects } from '../../ports/effects.ts';
import { AppError } from '../../errors.ts';
import { SECOND_MS } from '../../time/units.ts';

type Needs = Pick<Effects, 'organizations' | 'usage' | 'now' | 'wait'> & {
  stores: readonly Store[];
  /** Tells the operator what is done. */
  report: (line: string) => void;
};

export type Counts = Readonly<Record<string, number>>;

/** Functions know an organization and its keys for 15 seconds, and requests take a moment more. */
const NOTICED_MS = 20 * SECOND_MS;
/** Longer than a worker runs. A slot that is taken after that has been left by a dead one. */
const LONGEST_MS = 5 * 60 * SECOND_MS;
const LOOK_MS = 2 * SECOND_MS;
/** Each finds only what a request stored that had begun before. */
const MAX_PASSES = 10;

const ID = /^org_[0-9a-f]{32}$/;

/** What is stored for an organization, by kind. Throws `not_found` if there is nothing. */
export async function countThings(fx: Needs, orgId: string) {
  const organization = await findOrganization(fx, orgId);
  const things = await eachThing(fx, orgId, () => Promise.resolve());
  if (organization === undefined && sumOf(things) === 0) throw noOrganization(orgId);
  return { org_id: orgId, name: organization?.name, would_delete: things };
}

/**
 * Deletes an organization and everything stored for it. First its requests are refused and work in progress
 * ends, so that nothing is charged, stored or delivered afterwards. Can be interrupted at any point and run
 * again, even once the organization is gone. Throws `not_found` if there is nothing.
 */
export async function deleteOrganization(fx: Needs, orgId: string) {
  const organization = await findOrganization(fx, orgId);
  if (organization) {
    await fx.organizations.save({ ...organization, status: 'suspended' });
    fx.report(`${orgId} is suspended`);
  }
  // Work in progress ends because its job is gone.
  let deleted = await erase(fx, orgId);
  if (organization === undefined && sumOf(deleted) === 0) throw noOrganization(orgId);
  if (organization) await untilQuiet(fx, organization);
  for (let pass = 1, late = deleted; sumOf(late) > 0 || pass === 1; pass++) {
    if (pass > MAX_PASSES) throw new AppError('busy', { message: STILL_WRITTEN });
    late = await erase(fx, orgId);
    deleted = added(deleted, late);
  }
  await fx.organizations.remove(orgId);
  fx.report(`${orgId} is deleted`);
  return { org_id: orgId, name: organization?.name, deleted };
}

const STILL_WRITTEN = 'Something still writes to this organization. Run the command again.';

/** A mistyped id must not match others. */
async function findOrganization(fx: Needs, orgId: string): Promise<Organization | undefined> {
  const organization = await fx.organizations.find(orgId);
  if (organization === undefined && !ID.test(orgId)) throw noOrganization(orgId);
  return organization;
}

const noOrganization = (orgId: string) =>
  new AppError('not_found', { message: `There is no organization "${orgId}".` });

async function erase(fx: Needs, orgId: string): Promise<Counts> {
  const deleted = await eachThing(fx, orgId, (store, things) => store.remove(things));
  const listed = Object.entries(deleted).map(([kind, count]) => `${count} ${kind}`);
  fx.report(`${orgId}: deleted ${listed.join(', ') || 'nothing more'}`);
  return deleted;
}

async function eachThing(
  { stores }: Needs,
  orgId: string,
  act: (store: Store, things: readonly StoredThing[]) => Promise<void>,
): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const store of stores)
    for await (const things of store.find(orgId)) {
      await act(store, things);
      for (const { kind } of things) if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
    }
  return counts;
}

/** Waits until every function knows that the organization is suspended, and no scrape holds a slot. */
async function untilQuiet(fx: Needs, organization: Organization): Promise<void> {
  fx.report(`Waiting ${NOTICED_MS / SECOND_MS} seconds, until every function refuses its requests`);
  await fx.wait(NOTICED_MS);
  const latest = fx.now().getTime() + LONGEST_MS;
  let reported = 0;
  while (fx.now().getTime() < latest) {
    const { slots } = await fx.usage.read(organization, fx.now());
    const running = Object.keys(slots.inUse).length;
    if (running === 0) return;
    if (running !== reported) fx.report(`Waiting for scrapes in progress: ${running}`);
    reported = running;
    await fx.wait(LOOK_MS);
  }
}

const sumOf = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

function added(one: Counts, other: Counts): Counts {
  const kinds = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(kinds.map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]));
}
