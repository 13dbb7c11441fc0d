import { type Page, SitefetchError } from '../../typescript/src/sitefetch.ts';
import { UsageError } from './usage-error.ts';

/** What a script can tell apart. */
export const EXIT = {
  ok: 0,
  other: 1,
  usage: 2,
  key: 3,
  credits: 4,
  target: 5,
  wall: 6,
  timeout: 7,
} as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Readonly<Record<string, ExitCode>> = {
  unauthorized: EXIT.key,
  key_not_allowed: EXIT.key,
  organization_suspended: EXIT.key,
  insufficient_credits: EXIT.credits,
  cost_cap_exceeded: EXIT.credits,
  timeout: EXIT.timeout,
  client_timeout: EXIT.timeout,
  deadline_exceeded: EXIT.timeout,
  invalid_request: EXIT.usage,
  url_not_allowed: EXIT.usage,
  not_found: EXIT.usage,
};

const TARGET_STATUSES = [422, 502];
const FIRST_ERROR = 400;

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError || isOfParser(error)) return EXIT.usage;
  if (!(error instanceof SitefetchError)) return EXIT.other;
  const known = BY_CODE[error.code];
  if (known !== undefined) return known;
  const isOfTarget = error.details !== undefined && TARGET_STATUSES.includes(error.status ?? 0);
  return isOfTarget || error.code === 'crawl_failed' ? EXIT.target : EXIT.other;
}

/** A bot wall or an error page is printed too, but is not a success. */
export function exitCodeOfPage({ verdict, targetStatus }: Pick<Page, 'verdict' | 'targetStatus'>): ExitCode {
  if (verdict === 'bot_wall' || verdict === 'payment_required') return EXIT.wall;
  return targetStatus >= FIRST_ERROR ? EXIT.target : EXIT.ok;
}

/** https://nodejs.org/api/util.html#utilparseargsconfig */
const isOfParser = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code?.toString().startsWith('ERR_PARSE_ARGS') === true;
