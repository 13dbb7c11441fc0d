import { z } from 'zod';
import { type KeyRestrictions, KeyRoute, Plan } from '../../shared/contract/accounts/account.ts';
import { Output } from '../../shared/contract/scrape/output.ts';
import { Role } from '../../shared/contract/people/person.ts';
import type { Grace, KeyMode } from '../../shared/use-cases/accounts/manage-keys.ts';
import type { LimitChanges } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { oneOf } from '../one-of.ts';
import { isStageName, stageNames } from '../stage-names.ts';
import { DEFAULT_ROLE, DEFAULT_STAGE, type Values } from './options.ts';

/** Far below the point where sums of credits become inexact. */
const MAX_COUNT = 1e12;

const BY_PLAN = 'default';

const FutureDay = z.union([z.iso.date(), z.iso.datetime()]).pipe(z.coerce.date());

export type StageTarget = { local: boolean; stage: string };

/** The target of a command. Throws if both are given, or for an unknown stage. */
export function target({ local = false, stage }: Values): StageTarget {
  if (local && stage !== undefined) throw new Error('Use either --local or --stage.');
  if (stage !== undefined && !isStageName(stage))
    throw new Error(`--stage must be ${oneOf(stageNames)}, not "${stage}".`);
  return { local, stage: stage ?? DEFAULT_STAGE };
}

export function required(value: string | undefined, what: string): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new Error(`${what} is required.`);
}

export function plan(text: string | undefined): Plan | undefined {
  const { success, data } = Plan.optional().safeParse(text);
  if (success) return data;
  throw new Error(`--plan must be ${oneOf(Plan.options)}, not "${text}".`);
}

export function role(text = DEFAULT_ROLE): Role {
  const { success, data } = Role.safeParse(text);
  if (success) return data;
  throw new Error(`--role must be ${oneOf(Role.options)}, not "${text}".`);
}

export function mode({ test = false }: Values): KeyMode {
  return test ? 'test' : 'live';
}

export function limits(values: Values): LimitChanges {
  const limit = (text: string | undefined, option: string, least: number) => {
    if (text === undefined) return undefined;
    return text === BY_PLAN ? null : count(text, option, least, ` or "${BY_PLAN}"`);
  };
  return {
    credits: limit(values.credits, '--credits', 0),
    rpm: limit(values.rpm, '--rpm', 1),
    readsPerMinute: limit(values['reads-per-minute'], '--reads-per-minute', 1),
    concurrency: limit(values.concurrency, '--concurrency', 1),
  };
}

export function count(text: string, option: string, least: number, otherwise = ''): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= MAX_COUNT) return value;
  const range = `a whole number from ${least} to ${MAX_COUNT.toLocaleString('en')}`;
  throw new Error(`${option} must be ${range}${otherwise}, not "${text}".`);
}

export function futureDate(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const { data } = FutureDay.safeParse(text);
  if (data && data.getTime() > Date.now()) return data;
  throw new Error(`--expires must be a date in the future such as 2030-01-31, not "${text}".`);
}

export function restrictions(values: Values): KeyRestrictions | undefined {
  const { routes, formats, 'credits-per-day': cap } = values;
  if (routes === undefined && formats === undefined && cap === undefined) return undefined;
  return {
    routes: routes?.split(',').map(keyRoute),
    formats: formats?.split(',').map(keyFormat),
    creditsPerDay: cap === undefined ? undefined : count(cap, '--credits-per-day', 0),
  };
}

function keyRoute(text: string): KeyRoute {
  const { success, data } = KeyRoute.safeParse(text);
  if (success) return data;
  throw new Error(`--routes must list ${oneOf(KeyRoute.options)}, not "${text}".`);
}

/** `json` holds others, each of which must be allowed. */
function keyFormat(text: string): Output {
  const { success, data } = Output.safeParse(text);
  if (success) return data;
  throw new Error(`--formats must list ${oneOf(Output.options)}, not "${text}".`);
}

const GRACES: Readonly<Record<string, Grace>> = { '0': 'none', '1h': 'hour', '24h': 'day' };

export function grace(text = '0'): Grace {
  const known = Object.hasOwn(GRACES, text) ? GRACES[text] : undefined;
  if (known) return known;
  throw new Error(`--grace must be ${oneOf(Object.keys(GRACES))}, not "${text}".`);
}

export function month(text: string | undefined): string {
  if (text !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new Error(`--month must be a month such as 2026-11, not "${text}".`);
}

/** Whether to do what cannot be undone, or only to count. Throws if neither or both are requested. */
export function confirmed({ yes = false, 'dry-run': dryRun = false }: Values, name: string): boolean {
  if (yes && dryRun) throw new Error('Use either --yes or --dry-run.');
  if (yes || dryRun) return yes;
  throw new Error(`${name} cannot be undone: it needs --yes. --dry-run counts what it would delete.`);
}

export function usageBy(text: string | undefined): 'day' | 'key' | undefined {
  if (text === undefined || text === 'day' || text === 'key') return text;
  throw new Error(`--by must be day or key, not "${text}".`);
}
