import { type Body, bodyOf } from './body.ts';
import { deadlineAfter, pause } from './deadline.ts';
import { mayRepeat, pauseAfter } from './repeat.ts';
import { errorOf, SitefetchError } from './sitefetch-error.ts';

/** Of the global `fetch`, what the client needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Options = {
  apiKey: string;
  /** The URL of the API, with or without a slash at its end. */
  baseUrl: string;
  /** For each attempt, from its start to the last byte of its response. 130,000 if absent. */
  timeoutMs?: number | undefined;
  /** Attempts after the first one. 2 if absent. */
  retries?: number | undefined;
  fetch?: Fetch | undefined;
};

/** What every call takes. An aborted `signal` rejects the call with its reason. */
export type CallOptions = { signal?: AbortSignal | undefined; timeoutMs?: number | undefined };

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export type Call = CallOptions & {
  method?: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  /** A path of the API, or the URL of a file in its store, which does not receive the key. */
  to: string | { url: string };
  query?: Query | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON, unless it is a file. */
  body?: unknown;
  /** A repeat charges and begins nothing twice: a GET, or a submit with its `Idempotency-Key`. */
  isRepeatable: boolean;
  /** What arrived of a body is returned, with `isCut`. */
  acceptsCut?: boolean;
};

export type Received = Body & { status: number; headers: Headers };

export type Transport = { send: (call: Call) => Promise<Received>; retries: number };

const TIMEOUT_MS = 130_000;
const RETRIES = 2;

/** Sends calls, and repeats them while that is safe. Throws `SitefetchError`. */
export function transportOf({
  apiKey,
  baseUrl,
  timeoutMs = TIMEOUT_MS,
  retries = RETRIES,
  // Some runtimes refuse a `fetch` that is not called as a method of the global object.
  fetch = (url, init) => globalThis.fetch(url, init),
}: Options): Transport {
  const base = baseUrl.replace(/\/+$/, '');
  const connection = { apiKey, base, fetch };
  return {
    retries,
    send: async (call) => {
      const limitMs = call.timeoutMs ?? timeoutMs;
      for (let failures = 0; ; failures += 1) {
        try {
          return await attempt(connection, call, limitMs);
        } catch (error) {
          const pauseMs = error instanceof SitefetchError ? pauseAfter(error, failures) : Infinity;
          const mayTryAgain = failures < retries && pauseMs <= limitMs && mayRepeat(call, error);
          if (!mayTryAgain) throw error;
          await pause(pauseMs, call.signal);
        }
      }
    },
  };
}

type Connection = { apiKey: string; base: string; fetch: Fetch };

async function attempt(connection: Connection, call: Call, limitMs: number): Promise<Received> {
  const deadline = deadlineAfter(limitMs, call.signal);
  try {
    return await exchange(connection, call, deadline.signal);
  } catch (error) {
    call.signal?.throwIfAborted();
    if (error instanceof SitefetchError) throw error;
    const about = { retryable: true, cause: error };
    throw deadline.isOver()
      ? new SitefetchError('client_timeout', `No whole response within ${limitMs} ms.`, about)
      : new SitefetchError('connection_failed', `No response: ${reasonOf(error)}`, about);
  } finally {
    deadline.clear();
  }
}

async function exchange(
  { apiKey, base, fetch }: Connection,
  call: Call,
  signal: AbortSignal,
): Promise<Received> {
  const url = typeof call.to === 'string' ? base + call.to + queryText(call.query) : call.to.url;
  const response = await fetch(url, { ...requestOf(call, apiKey), signal });
  const body = await bodyOf(response, signal);
  const received = { ...body, status: response.status, headers: response.headers };
  if (body.isCut && !(response.ok && call.acceptsCut)) throw lost(received);
  if (!response.ok) throw errorOf(response, new TextDecoder().decode(body.bytes));
  return received;
}

function requestOf({ method = 'GET', to, headers, body }: Call, apiKey: string): RequestInit {
  if (typeof to !== 'string') return { method, ...(body instanceof Blob && { body }) };
  return {
    method,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      // The stated length of a body is its length as sent: only then does a shorter one show.
      'Accept-Encoding': 'identity',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

export function lost({ status, headers, bytes }: Received): SitefetchError {
  const message = `The connection ended after ${bytes.byteLength} bytes, within the response.`;
  const requestId = headers.get('X-Request-Id') ?? undefined;
  return new SitefetchError('connection_lost', message, { status, requestId, retryable: true });
}

/** What `fetch` hides behind "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string }; message?: string };
  return cause?.message ?? message ?? String(error);
}
