import { randomBytes } from 'node:crypto';
import type { ApiKeyRecord, Organization, Plan } from '../../shared/contract/account.ts';
import { createApiKey, hashApiKey } from '../../shared/domain/api-key.ts';
import { limitsOf } from '../../shared/domain/plan.ts';
import type { Effects } from '../../shared/ports.ts';

type Needs = Pick<Effects, 'accounts' | 'now' | 'newId'>;

export type NewOrganization = {
  name: string;
  plan: Plan;
  overrides: Organization['overrides'];
  mode: 'live' | 'test';
};

/** A new organization and its first key. The key is shown this once. */
export async function createOrganization(fx: Needs, { name, plan, overrides, mode }: NewOrganization) {
  const organization: Organization = {
    id: `org_${fx.newId().replaceAll('-', '')}`,
    name,
    plan,
    overrides,
    status: 'active',
    createdAt: fx.now(),
  };
  await fx.accounts.saveOrganization(organization);
  const { api_key } = await createKey(fx, { orgId: organization.id, name: 'first', mode });
  return { org_id: organization.id, api_key };
}

/** What is known of an organization: its limits, and what it has used this month. */
export async function showOrganization(fx: Needs, orgId: string) {
  const organization = await find(fx, orgId);
  const { period, available, used, slots } = await fx.accounts.usage(organization, fx.now());
  const limits = limitsOf(organization);
  return {
    org_id: organization.id,
    name: organization.name,
    plan: organization.plan,
    status: organization.status,
    created_at: organization.createdAt.toISOString(),
    limits: {
      credits: limits.credits,
      rpm: limits.rpm,
      reads_per_minute: limits.readsPerMinute,
      concurrency: limits.concurrency,
    },
    usage: { period, available, used, in_progress: Object.keys(slots).length },
  };
}

/** Every organization, the oldest first. */
export async function listOrganizations({ accounts }: Needs) {
  const organizations = await accounts.organizations();
  return {
    organizations: organizations.map(({ id, name, plan, status, createdAt }) => ({
      org_id: id,
      name,
      plan,
      status,
      created_at: createdAt.toISOString(),
    })),
  };
}

/** What is to change: of limits that are not named the present ones stay. */
export type OrganizationChange = {
  name?: string | undefined;
  plan?: Plan | undefined;
  overrides: Organization['overrides'];
};

/** Changes an organization. It holds everywhere within 15 seconds; credits are granted by it from the next month on. */
export async function updateOrganization(fx: Needs, orgId: string, change: OrganizationChange) {
  const organization = await find(fx, orgId);
  const { name = organization.name, plan = organization.plan } = change;
  const overrides = { ...organization.overrides, ...given(change.overrides) };
  await fx.accounts.saveOrganization({ ...organization, name, plan, overrides });
  return showOrganization(fx, orgId);
}

/** Suspends or resumes an organization; its keys follow within 15 seconds. */
export async function setStatus(fx: Needs, orgId: string, status: Organization['status']) {
  const organization = await find(fx, orgId);
  await fx.accounts.saveOrganization({ ...organization, status });
  return { org_id: orgId, status };
}

type NewKey = { orgId: string; name: string; mode: 'live' | 'test'; expiresAt?: Date | undefined };

/** One more key for an organization, so that keys can be changed without a gap. It is shown this once. */
export async function createKey(fx: Needs, { orgId, name, mode, expiresAt }: NewKey) {
  await find(fx, orgId);
  const key = createApiKey(mode, randomBytes);
  const record: ApiKeyRecord = {
    id: key.id,
    hash: hashApiKey(key),
    orgId,
    name,
    last4: key.text.slice(-4),
    status: 'active',
    createdAt: fx.now(),
    expiresAt,
  };
  await fx.accounts.saveKey(record);
  return { org_id: orgId, key_id: key.id, api_key: key.text };
}

/** The keys of an organization, as far as they can be shown. */
export async function listKeys(fx: Needs, orgId: string) {
  await find(fx, orgId);
  return { org_id: orgId, keys: (await fx.accounts.keysOf(orgId)).map(visible) };
}

/** Ends a key. It stops working everywhere within 15 seconds. */
export async function revokeKey(fx: Needs, keyId: string) {
  const key = await fx.accounts.findKey(keyId);
  if (key === undefined) throw new Error(`There is no key "${keyId}".`);
  await fx.accounts.saveKey({ ...key, status: 'revoked' });
  return visible({ ...key, status: 'revoked' });
}

async function find({ accounts }: Needs, orgId: string): Promise<Organization> {
  const organization = await accounts.findOrganization(orgId);
  if (organization === undefined) throw new Error(`There is no organization "${orgId}".`);
  return organization;
}

function given<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

function visible({ id, orgId, name, last4, status, createdAt, expiresAt }: ApiKeyRecord) {
  return {
    key_id: id,
    org_id: orgId,
    name,
    last4,
    status,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString(),
  };
}
