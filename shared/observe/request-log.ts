import { snakeKeys } from '../contract/case.ts';
import { type ErrorCode, toAppError } from '../errors.ts';
import type { Log } from './log.ts';
import { type PhaseTimer, timePhases } from './phase-timer.ts';
import { described, withoutSecrets } from './redacted.ts';

/** All that a line may contain: no key, header, cookie, body or page. */
type Facts = {
  requestId?: string | undefined;
  gatewayRequestId?: string | undefined;
  operation?: string | undefined;
  orgId?: string | undefined;
  /** Of a user of the dashboard. */
  userId?: string | undefined;
  keyId?: string | undefined;
  jobId?: string | undefined;
  batchId?: string | undefined;
  crawlId?: string | undefined;
  messageId?: string | undefined;
  webhookId?: string | undefined;
  deliveryId?: string | undefined;
  /** The type of an event. */
  event?: string | undefined;
  /** Of a receiver, whose path and query may be secret. */
  host?: string | undefined;
  /** Logged without its query. */
  url?: string | undefined;
  status?: number | string | undefined;
  targetStatus?: number | undefined;
  attempt?: number | undefined;
  /** How Chromium was started: `one` process or `many`. */
  processes?: string | undefined;
  credits?: number | undefined;
  bytes?: number | undefined;
  /** Of a model, in all its calls. */
  tokensIn?: number | undefined;
  tokensOut?: number | undefined;
  sent?: 'too slow' | undefined;
  retryAfter?: number | undefined;
};

/** What a line of the log is about. */
type Kind = 'request' | 'job' | 'upload' | 'lines' | 'crawl' | 'render' | 'model' | 'delivery';

/** Collects what one request or message adds to its line in the log. */
export type RequestLog = PhaseTimer & {
  note: (facts: Facts) => void;
  /** Logs the code alone, except for unexpected errors. */
  fail: (error: unknown) => void;
  write: (log: Log, kind: Kind) => void;
};

/** Codes that need their cause in the log. */
const EXPLAINED: readonly ErrorCode[] = ['internal', 'browser_crashed', 'model_failed'];

/** Time and the first phase begin now. */
export function openRequestLog(facts: Facts = {}): RequestLog {
  const startedAt = performance.now();
  const timer = timePhases();
  let known = facts;
  let ended: { code?: ErrorCode; fault?: string } = {};

  return {
    ...timer,
    note: (more) => (known = { ...known, ...more }),
    fail: (error) => {
      const { code, cause } = toAppError(error);
      ended = { code, ...(cause !== undefined && EXPLAINED.includes(code) && { fault: described(cause) }) };
    },
    write: (log, kind) => {
      const { url, ...rest } = known;
      const line = {
        ...snakeKeys({ ...rest, url: url && withoutSecrets(url), ...ended }),
        ms: Math.round(performance.now() - startedAt),
        phases: timer.phases(),
      };
      if (ended.code === 'internal') log.error(kind, line);
      else log.info(kind, line);
    },
  };
}

type Line = { log: Log; kind: Kind; requestLog: RequestLog };

/** Does work and writes its line. A fault is noted in the line, and `otherwise` makes the result. */
export async function logged<T>(
  { log, kind, requestLog }: Line,
  work: () => Promise<T>,
  otherwise: (error: unknown) => T,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    requestLog.fail(error);
    return otherwise(error);
  } finally {
    requestLog.write(log, kind);
  }
}
