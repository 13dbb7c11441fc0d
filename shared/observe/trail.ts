import { snakeKeys } from '../contract/case.ts';
import type { Phase, PhaseTimes } from '../contract/phase.ts';
import { type ErrorCode, toAppError } from '../errors.ts';
import type { Log } from './log.ts';
import { described, withoutSecrets } from './redacted.ts';

/** All that a line may contain: no key, header, cookie, body or page. */
type Facts = {
  requestId?: string | undefined;
  gatewayRequestId?: string | undefined;
  operation?: string | undefined;
  orgId?: string | undefined;
  keyId?: string | undefined;
  jobId?: string | undefined;
  messageId?: string | undefined;
  /** Logged without its query. */
  url?: string | undefined;
  /** Of the response, or of the job. */
  status?: number | string | undefined;
  targetStatus?: number | undefined;
  attempt?: number | undefined;
  /** How Chromium was started: `one` process or `many`. */
  processes?: string | undefined;
  credits?: number | undefined;
  bytes?: number | undefined;
  sent?: 'too slow' | undefined;
  retryAfter?: number | undefined;
};

/** Collects what one request or message adds to its line in the log. */
export type Trail = {
  note: (facts: Facts) => void;
  /** Logs the code alone, except for unexpected errors. */
  fail: (error: unknown) => void;
  /** Ends the previous phase, so that phases add up to the total. */
  enter: (phase: Phase) => void;
  /** Attributes time spent in another function to the current phase. */
  attribute: (times: PhaseTimes) => void;
  phases: () => PhaseTimes;
  write: (log: Log, kind: 'request' | 'job' | 'render') => void;
};

/** Codes that need their cause in the log. */
const EXPLAINED: readonly ErrorCode[] = ['internal', 'browser_crashed'];

/** Time and the first phase begin now. */
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

/** Clocks of two machines differ, so a remainder may be negative. */
function rounded(spent: Partial<Record<Phase, number>>): PhaseTimes {
  const times = Object.entries(spent).map(([name, ms]) => [name, Math.max(0, Math.round(ms))]);
  return Object.fromEntries(times) as PhaseTimes;
}
