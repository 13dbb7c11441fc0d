export type SmokeTarget = {
  url: string;
  key: string;
  page: string;
  signal: AbortSignal;
};

export type SmokeSession = {
  page: string;
  get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  post: (path: string, body: object, headers?: Record<string, string>) => Promise<Response>;
  withoutKey: (path: string) => Promise<Response>;
  /** Adds credits that were charged after a call, as for jobs. */
  charge: (credits: number) => void;
  /** Credits that these calls charged, and the decrease of the organization's balance since the first. */
  balance: () => { charged: number; gone: number };
};

/** Only the documentation may be kept, by readers who check it each time. */
const cachingOf = (path: string) => (/^\/(docs|llms\.txt)\b/.test(path) ? 'no-cache' : 'no-store');

/** Opens a session, which checks the common headers of every response. */
export function openSession({ url, key, page, signal }: SmokeTarget): SmokeSession {
  const authorization = { Authorization: `Bearer ${key}` };
  const remaining: number[] = [];
  let charged = 0;

  async function call(path: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(url.replace(/\/$/, '') + path, { ...init, signal });
    expect(header(answer, 'Cache-Control'), cachingOf(path), `Cache-Control of ${path}`);
    header(answer, 'X-Request-Id');
    charged += Number(header(answer, 'X-Credits-Used'));
    const left = answer.headers.get('X-Credits-Remaining');
    if (left !== null) remaining.push(Number(left));
    return answer;
  }

  return {
    page,
    get: (path, headers = {}) => call(path, { headers: { ...authorization, ...headers } }),
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        headers: { ...authorization, 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    withoutKey: (path) => call(path, {}),
    charge: (credits) => {
      charged += credits;
    },
    balance: () => ({ charged, gone: (remaining[0] ?? 0) - (remaining.at(-1) ?? 0) }),
  };
}

export function expect(actual: unknown, wanted: unknown, what: string): void {
  if (actual !== wanted) throw new Error(`${what}: ${String(actual)}, expected ${String(wanted)}`);
}

/** Throws unless the response has this status; the error contains its body. */
export async function expectStatus(answer: Response, status: number): Promise<Response> {
  if (answer.status === status) return answer;
  const text = (await answer.text()).slice(0, MAX_SHOWN);
  throw new Error(`${new URL(answer.url).pathname} returned ${answer.status}, not ${status}: ${text}`);
}

export function header(answer: Response, name: string): string {
  const value = answer.headers.get(name);
  if (value !== null) return value;
  throw new Error(`${new URL(answer.url).pathname} returned ${answer.status} without ${name}`);
}

const MAX_SHOWN = 300;
