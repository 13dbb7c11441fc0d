import { snakeKeys } from '../contract/case.ts';
import type { Phase, PhaseTimes } from '../contract/phase.ts';
import { type ErrorCode, toAppError } from '../errors.ts';
import type { Log } from './log.ts';
import { described, withoutSecrets } from './redacted.ts';

/** All that a line may say. No key, header, cookie, body or page has a place in it. */
type Facts = {
  requestId?: string | undefined;
  /** By which the access log of API Gateway knows the request. */
  gatewayRequestId?: string | undefined;
  operation?: string | undefined;
  orgId?: string | undefined;
  keyId?: string | undefined;
  jobId?: string | undefined;
  messageId?: string | undefined;
  /** Logged without its query. */
  url?: string | undefined;
  /** Of the answer, or of the job. */
  status?: number | string | undefined;
  targetStatus?: number | undefined;
  attempt?: number | undefined;
  /** How Chromium was started: `one` process or `many`. */
  processes?: string | undefined;
  credits?: number | undefined;
  /** Of the page. */
  bytes?: number | undefined;
  /** How its sending ended, if not well. */
  sent?: 'too slow' | undefined;
  /** When a job is taken up again. */
  retryAfter?: number | undefined;
};

/** What is learnt of one request or message on its way, for the one line that it leaves in the log. */
export type Trail = {
  note: (facts: Facts) => void;
  /** It ended with this. Says no more than the code, unless the error is one that nobody expected. */
  fail: (error: unknown) => void;
  /** Ends the phase before it, so that the phases add up to the whole. */
  enter: (phase: Phase) => void;
  /** Time that was spent elsewhere on behalf of the present phase, if there is one. */
  attribute: (times: PhaseTimes) => void;
  /** Milliseconds of every phase so far, the present one included. */
  phases: () => PhaseTimes;
  /** Writes the line. */
  write: (log: Log, kind: 'request' | 'job' | 'render') => void;
};

/** Errors that say nothing without what caused them. */
const EXPLAINED: readonly ErrorCode[] = ['internal', 'browser_crashed'];

/** A trail that begins now: its `ms` and first phase are counted from here. */
export function openTrail(facts: Facts = {}): Trail {
  const startedAt = performance.now();
  const spent: Partial<Record<Phase, number>> = {};
  let known = facts;
  let ended: { code?: ErrorCode; fault?: string } = {};
  let phase: Phase | undefined;
  let since = startedAt;

  const add = (to: Phase | undefined, ms: number) => {
    if (to) spent[to] = (spent[to] ?? 0) + ms;
  };
  const enter = (next: Phase | undefined) => {
    const now = performance.now();
    add(phase, now - since);
    [phase, since] = [next, now];
  };
  const phases = () => {
    enter(phase);
    return rounded(spent);
  };
  return {
    note: (more) => (known = { ...known, ...more }),
    fail: (error) => {
      const { code, cause } = toAppError(error);
      ended = { code, ...(cause !== undefined && EXPLAINED.includes(code) && { fault: described(cause) }) };
    },
    enter,
    attribute: (times) => {
      for (const [name, ms] of Object.entries(times)) {
        add(name as Phase, ms);
        add(phase, -ms);
      }
    },
    phases,
    write: (log, kind) => {
      const { url, ...rest } = known;
      const line = {
        ...snakeKeys({ ...rest, url: url && withoutSecrets(url), ...ended }),
        ms: Math.round(performance.now() - startedAt),
        phases: phases(),
      };
      if (ended.code === 'internal') log.error(kind, line);
      else log.info(kind, line);
    },
  };
}

/** Clocks of two machines do not agree to the millisecond: what is left of a phase may be below nothing. */
function rounded(spent: Partial<Record<Phase, number>>): PhaseTimes {
  const times = Object.entries(spent).map(([name, ms]) => [name, Math.max(0, Math.round(ms))]);
  return Object.fromEntries(times) as PhaseTimes;
}
