import { countThings, deleteOrganization } from '../../shared/use-cases/accounts/delete-organization.ts';
import { invite } from '../../shared/use-cases/people/manage-invitations.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import {
  createOrganization,
  grantCredits,
  listOrganizations,
  setStatus,
  showOrganization,
  updateOrganization,
} from '../../shared/use-cases/accounts/manage-organizations.ts';
import { usageByKey, usageOfAll } from '../../shared/use-cases/accounts/usage-of-all.ts';
import type { Connection } from './connect.ts';
import { DEFAULT_KEY_NAME, DEFAULT_PLAN, limitOptions, type OptionName, type Values } from './options.ts';
import {
  confirmed,
  count,
  futureDate,
  limits,
  mode,
  plan,
  required,
  role,
  grace,
  month,
  restrictions,
  usageBy,
} from './read-values.ts';

/** A command. Its values are checked before it connects, so that a wrong one costs no time. */
export type Command = {
  does: string;
  argument?: 'ORG_ID' | 'KEY' | 'KEY_ID';
  required?: readonly OptionName[];
  optional?: readonly OptionName[];
  note?: string;
  prepare: (values: Values, argument: string) => (fx: Connection) => Promise<object>;
};

const SHOWN_ONCE = 'The key is shown only once: store it now.';
const SOON = 'This takes effect everywhere within 15 seconds.';

export const commands: Readonly<Record<string, Command>> = {
  'org create': {
    does: 'create an organization and its first key',
    required: ['name'],
    optional: [...limitOptions, 'test'],
    note: SHOWN_ONCE,
    prepare: (values) => {
      const name = required(values.name, '--name');
      const wanted = { name, plan: plan(values.plan) ?? DEFAULT_PLAN, overrides: limits(values) };
      return (fx) => createOrganization(fx, { ...wanted, mode: mode(values) });
    },
  },
  'org list': { does: 'list all organizations', prepare: () => listOrganizations },
  'org show': {
    does: 'show its limits and its usage this month',
    argument: 'ORG_ID',
    prepare: (_, orgId) => (fx) => showOrganization(fx, orgId),
  },
  'org update': {
    does: 'change its name or limits; credits change next month',
    argument: 'ORG_ID',
    optional: ['name', ...limitOptions],
    note: SOON,
    prepare: ({ name, ...values }, orgId) => {
      const change = { plan: plan(values.plan), overrides: limits(values) };
      const newName = name === undefined ? undefined : required(name, '--name');
      return (fx) => updateOrganization(fx, orgId, { ...change, name: newName });
    },
  },
  'org grant': {
    does: 'add credits to this month',
    argument: 'ORG_ID',
    required: ['credits'],
    prepare: (values, orgId) => {
      const credits = count(required(values.credits, '--credits'), '--credits', 1);
      return (fx) => grantCredits(fx, orgId, credits);
    },
  },
  'org invite': {
    does: 'create a link that lets one person join it',
    argument: 'ORG_ID',
    optional: ['role'],
    note: 'The link works once, for 7 days. It is shown only once.',
    prepare: (values, orgId) => {
      const wanted = role(values.role);
      return async (fx) => {
        const { people, url } = await fx.dashboard();
        const { code, ...rest } = await invite(
          { ...fx, people },
          { orgId, role: wanted, maker: { kind: 'operator' } },
        );
        return { ...rest, link: `${url}/join#${code}` };
      };
    },
  },
  'org suspend': {
    does: 'refuse its requests',
    argument: 'ORG_ID',
    note: SOON,
    prepare: (_, orgId) => (fx) => setStatus(fx, orgId, 'suspended'),
  },
  'org resume': {
    does: 'accept its requests again',
    argument: 'ORG_ID',
    note: SOON,
    prepare: (_, orgId) => (fx) => setStatus(fx, orgId, 'active'),
  },
  'org delete': {
    does: 'delete it with its keys, members, jobs, results and all else; needs --yes',
    argument: 'ORG_ID',
    optional: ['yes', 'dry-run'],
    note: 'Upload links work for up to another hour. Run this again afterwards to delete late uploads.',
    prepare: (values, orgId) => {
      const isMeant = confirmed(values, 'org delete');
      return async (fx) => {
        const it = { ...fx, stores: await fx.stores() };
        return isMeant ? deleteOrganization(it, orgId) : countThings(it, orgId);
      };
    },
  },
  'key create': {
    does: 'create another key for an organization',
    argument: 'ORG_ID',
    optional: ['name', 'expires', 'routes', 'formats', 'credits-per-day', 'test'],
    note: SHOWN_ONCE,
    prepare: ({ name = DEFAULT_KEY_NAME, expires, ...values }, orgId) => {
      const wanted = { orgId, name: required(name, '--name'), expiresAt: futureDate(expires) };
      const restricted = { ...wanted, restrictions: restrictions(values) };
      return (fx) => createKey(fx, { ...restricted, mode: mode(values) });
    },
  },
  'key rotate': {
    does: 'replace a key, given its id, with a new key that has the same restrictions',
    argument: 'KEY_ID',
    optional: ['grace'],
    note: SHOWN_ONCE,
    prepare: (values, id) => {
      const wanted = grace(values.grace);
      return (fx) => rotateKey(fx, id, wanted);
    },
  },
  'key list': {
    does: 'list its keys, without their secrets',
    argument: 'ORG_ID',
    prepare: (_, orgId) => (fx) => listKeys(fx, orgId),
  },
  'key revoke': {
    does: 'revoke a key, given its id or the whole key; - reads the key from stdin',
    argument: 'KEY',
    note: SOON,
    prepare: (_, key) => (fx) => revokeKey(fx, key),
  },
  usage: {
    does: 'show the usage of all organizations in a month',
    required: ['month'],
    optional: ['by', 'csv'],
    prepare: (values) => {
      const [of, by] = [month(values.month), usageBy(values.by)];
      return (fx) => (by === 'key' ? usageByKey(fx, of) : usageOfAll(fx, of, by));
    },
  },
};
