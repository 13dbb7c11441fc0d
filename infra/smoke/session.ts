export type Target = {
  /** Of the service, with the stage if it has one. */
  url: string;
  key: string;
  /** What is scraped. */
  page: string;
  signal: AbortSignal;
};

/** Calls to one service, with what they cost. */
export type Session = {
  page: string;
  get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  post: (path: string, body: object, headers?: Record<string, string>) => Promise<Response>;
  withoutKey: (path: string) => Promise<Response>;
  /** Counts what was charged later than at a call, as jobs are. */
  charge: (credits: number) => void;
  /** Credits charged by these calls, and those gone from the organization since the first of them with a key. */
  balance: () => { charged: number; gone: number };
};

/** Opens a session. Every answer is seen to bear the headers that all answers have. */
export function openSession({ url, key, page, signal }: Target): Session {
  const authorization = { Authorization: `Bearer ${key}` };
  const remaining: number[] = [];
  let charged = 0;

  async function call(path: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(url.replace(/\/$/, '') + path, { ...init, signal });
    expect(header(answer, 'Cache-Control'), 'no-store', `Cache-Control of ${path}`);
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

/** Throws unless both are the same. */
export function expect(actual: unknown, wanted: unknown, what: string): void {
  if (actual !== wanted) throw new Error(`${what} is ${String(actual)}, not ${String(wanted)}`);
}

/** Throws unless the answer has this status, with what the service says about it. */
export async function expectStatus(answer: Response, status: number): Promise<Response> {
  if (answer.status === status) return answer;
  const text = (await answer.text()).slice(0, MAX_SHOWN);
  throw new Error(`${new URL(answer.url).pathname} answered ${answer.status}, not ${status}: ${text}`);
}

/** A header of an answer. Throws if it is not there. */
export function header(answer: Response, name: string): string {
  const value = answer.headers.get(name);
  if (value !== null) return value;
  throw new Error(`${new URL(answer.url).pathname} answered ${answer.status} without ${name}`);
}

const MAX_SHOWN = 300;
