import type { RequestLog } from '../observe/request-log.ts';
import type { KeySession } from './authenticate.ts';
import type { Meter } from './meter.ts';

/** One request, as operations see it. */
export type Call = {
  requestId: string;
  requestLog: RequestLog;
  method: string;
  /** The route's path as the list has it, with `{name}` for parameters. */
  path: string;
  /** The path as the caller sent it: on the default domain of API Gateway the stage precedes the route. */
  sentPath: string;
  /** What precedes the route in `sentPath`. */
  mount: string;
  params: Readonly<Record<string, string | undefined>>;
  query: Readonly<Record<string, readonly string[] | undefined>>;
  headers: Readonly<Record<string, string | undefined>>;
  body: string | undefined;
  /** The body, also if it is no text. */
  bytes: () => Buffer;
  /** When the function that handles the request must end. */
  endsAt: Date;
  session?: KeySession;
  /** Meters the organization's limits, on routes that need a key. */
  meter?: Meter;
};

/** A call on a route that needs a key: authenticated and metered. */
export type AuthenticatedCall = Call & Required<Pick<Call, 'session' | 'meter'>>;
