import { KeyRoute, Plan } from '../../shared/contract/accounts/account.ts';
import { Role } from '../../shared/contract/people/person.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import { oneOf } from '../one-of.ts';
import { stageNames } from '../stage-names.ts';

export const DEFAULT_STAGE = 'dev';
export const DEFAULT_PLAN = 'free';
export const DEFAULT_ROLE = 'admin';
export const DEFAULT_KEY_NAME = 'unnamed';

/** Every option, as parseArgs takes it and as the help shows it. */
export const options = {
  local: { type: 'boolean', help: 'use the stack of npm start on this machine' },
  stage: { type: 'string', value: 'NAME', help: oneOf(stageNames), byDefault: DEFAULT_STAGE },
  json: { type: 'boolean', help: 'print JSON, for programs' },
  help: { type: 'boolean', short: 'h', help: 'print this' },
  name: {
    type: 'string',
    value: 'NAME',
    help: 'a name for people',
    byDefault: `${DEFAULT_KEY_NAME}, for a key`,
  },
  expires: {
    type: 'string',
    value: 'DATE',
    help: 'the day on which the key expires, UTC',
    byDefault: 'never',
  },
  test: { type: 'boolean', help: 'create a key sf_test_...', byDefault: 'sf_live_...' },
  role: { type: 'string', value: 'ROLE', help: oneOf(Role.options), byDefault: DEFAULT_ROLE },
  routes: {
    type: 'string',
    value: 'LIST',
    help: `what a key may call: ${KeyRoute.options.join()}`,
    byDefault: 'all',
  },
  formats: { type: 'string', value: 'LIST', help: 'the formats that a key may request', byDefault: 'all' },
  'credits-per-day': { type: 'string', value: 'N', help: 'credits a day of a key', byDefault: 'no cap' },
  grace: { type: 'string', value: 'GRACE', help: 'how long the old key works: 0, 1h or 24h', byDefault: '0' },
  month: { type: 'string', value: 'YYYY-MM', help: 'in UTC' },
  by: {
    type: 'string',
    value: 'WHAT',
    help: 'also show a row per day or key: day or key',
    byDefault: 'organizations',
  },
  csv: { type: 'boolean', help: 'print CSV, for spreadsheets' },
  yes: { type: 'boolean', help: 'confirm what cannot be undone' },
  'dry-run': { type: 'boolean', help: 'only count what would be deleted' },
  plan: { type: 'string', value: 'PLAN', help: oneOf(Plan.options), byDefault: DEFAULT_PLAN },
  credits: { type: 'string', value: 'N', help: 'credits a month', byDefault: byPlan('credits') },
  rpm: { type: 'string', value: 'N', help: 'scrapes and submits a minute', byDefault: byPlan('rpm') },
  'reads-per-minute': {
    type: 'string',
    value: 'N',
    help: 'status and result calls a minute',
    byDefault: byPlan('readsPerMinute'),
  },
  concurrency: {
    type: 'string',
    value: 'N',
    help: 'scrapes in progress at once',
    byDefault: byPlan('concurrency'),
  },
} as const;

export type OptionName = keyof typeof options;

export type Values = {
  [K in OptionName]?: (typeof options)[K]['type'] extends 'boolean' ? boolean : string;
};

export const everywhere = ['local', 'stage', 'json', 'help'] as const satisfies readonly OptionName[];

/** The plan, and the limits that may differ from it. */
export const limitOptions = [
  'plan',
  'credits',
  'rpm',
  'reads-per-minute',
  'concurrency',
] as const satisfies readonly OptionName[];

function byPlan(limit: keyof ReturnType<typeof limitsOf>): string {
  return Plan.options
    .map((plan) => `${plan} ${limitsOf({ plan, overrides: {} })[limit].toLocaleString('en')}`)
    .join(', ');
}
