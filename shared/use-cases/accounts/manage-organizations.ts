import type { Limits, Organization, Plan, Usage } from '../../contract/accounts/account.ts';
import { limitsOf } from '../../domain/accounts/credits/plan.ts';
import { shortId } from '../../domain/accounts/credits/short-id.ts';
import type { Effects } from '../../ports/effects.ts';
import { findOrganization } from './find-organization.ts';
import { issueKey, type KeyMode } from './manage-keys.ts';

type Needs = Pick<Effects, 'keys' | 'organizations' | 'usage' | 'now' | 'newId'>;

export type NewOrganization = {
  name: string;
  plan: Plan;
  overrides: LimitChanges;
  mode: KeyMode;
};

/** Creates an organization and its first key. Only this result holds the key itself. */
export async function createOrganization(fx: Needs, { name, plan, overrides, mode }: NewOrganization) {
  const organization: Organization = {
    id: `org_${fx.newId().replaceAll('-', '')}`,
    name,
    plan,
    overrides: changed({}, overrides),
    status: 'active',
    createdAt: fx.now(),
  };
  await fx.organizations.save(organization);
  const { key_id, api_key } = await issueKey(fx, { orgId: organization.id, name: 'first', mode });
  return { org_id: organization.id, key_id, api_key };
}

/** An organization, its limits and its usage this month. */
export async function showOrganization(fx: Needs, orgId: string) {
  const organization = await findOrganization(fx, orgId);
  return report(organization, await fx.usage.read(organization, fx.now()));
}

/** Every organization, oldest first. */
export async function listOrganizations({ organizations }: Needs) {
  return { organizations: (await organizations.list()).map(summary) };
}

/** An absent limit stays unchanged; null resets it to the plan's. */
export type LimitChanges = { [K in keyof Limits]?: Limits[K] | null | undefined };

export type OrganizationChange = {
  name?: string | undefined;
  plan?: Plan | undefined;
  overrides: LimitChanges;
};

/** Takes effect everywhere within 15 seconds. A changed limit of credits begins with the next month. */
export async function updateOrganization(fx: Needs, orgId: string, change: OrganizationChange) {
  const before = await findOrganization(fx, orgId);
  const { name = before.name, plan = before.plan } = change;
  const organization = { ...before, name, plan, overrides: changed(before.overrides, change.overrides) };
  await fx.organizations.save(organization);
  return report(organization, await fx.usage.read(organization, fx.now()));
}

/** Adds credits to this month, at once. */
export async function grantCredits(fx: Needs, orgId: string, credits: number) {
  const organization = await findOrganization(fx, orgId);
  const grant = { id: shortId(fx.newId()), credits };
  return report(organization, await fx.usage.grant(organization, grant, fx.now()));
}

/** Suspends or resumes an organization. Its keys follow within 15 seconds. */
export async function setStatus(fx: Needs, orgId: string, status: Organization['status']) {
  const organization = await findOrganization(fx, orgId);
  await fx.organizations.save({ ...organization, status });
  return { org_id: orgId, status };
}

function changed(before: Organization['overrides'], changes: LimitChanges): Organization['overrides'] {
  const names = Object.keys({ ...before, ...changes }) as (keyof Limits)[];
  const after = names.map(
    (name) => [name, changes[name] === undefined ? before[name] : changes[name]] as const,
  );
  return Object.fromEntries(after.filter(([, value]) => typeof value === 'number'));
}

function summary({ id, name, plan, status, createdAt }: Organization) {
  return { org_id: id, name, plan, status, created_at: createdAt.toISOString() };
}

function report(organization: Organization, usage: Usage) {
  const { period, available, used, grants } = usage.credits;
  const { credits, rpm, readsPerMinute, concurrency } = limitsOf(organization);
  const granted = Object.values(grants).reduce((sum, each) => sum + each, 0);
  return {
    ...summary(organization),
    limits: { credits, rpm, reads_per_minute: readsPerMinute, concurrency },
    usage: { period, available, used, granted, in_progress: Object.keys(usage.slots.inUse).length },
  };
}
