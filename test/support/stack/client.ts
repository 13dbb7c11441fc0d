import { vi } from 'vitest';
import { JOB_DEADLINE_MS } from '../../../shared/domain/jobs/timing.ts';

/** The service as its callers see it, over HTTP only. */
export function clientOf(baseUrl: string, apiKey: string) {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
    fetch(baseUrl + path, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', ...more },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const get = (path: string, more: Record<string, string> = {}) =>
    fetch(baseUrl + path, { headers: { ...headers, ...more } });
  /** All lines of an NDJSON, also of the parts that `Link` leads to. */
  async function lines<T>(path: string): Promise<T[]> {
    const part = await get(path);
    const text = await part.text();
    const read = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
    const next = /<([^>]+)>; rel="next"/.exec(part.headers.get('Link') ?? '')?.[1];
    return next === undefined ? read : [...read, ...(await lines<T>(next))];
  }
  const job = async (id: string) => (await (await get(`/api/v1/scraper/jobs/${id}`)).json()) as JobAnswer;
  return {
    get,
    post,
    lines,
    job,
    scrape: (request: object) => post('/api/v1/scraper', request),
    submit: async (request: object) => {
      const answer = await post('/api/v1/scraper/jobs', request);
      return ((await answer.json()) as JobAnswer).job_id;
    },
    remove: (id: string) => fetch(`${baseUrl}/api/v1/scraper/jobs/${id}`, { method: 'DELETE', headers }),
    result: (id: string) => get(`/api/v1/scraper/jobs/${id}/result`),
    /** Polls until the job has finished. Returns every state seen, and the whole last view. */
    settled: (id: string) => {
      const states: string[] = [];
      return vi.waitUntil(
        async () => {
          const current = await job(id);
          if (states.at(-1) !== current.status) states.push(current.status);
          return SETTLED.includes(current.status) && { states, job: current };
        },
        { timeout: JOB_DEADLINE_MS, interval: POLL_MS },
      );
    },
  };
}

const SETTLED = ['completed', 'failed'];
const POLL_MS = 100;

export type Client = ReturnType<typeof clientOf>;

export type JobAnswer = {
  job_id: string;
  status: string;
  created_at: string;
  started_at?: string;
  attempts: number;
  credits_used: number;
  error_code?: string;
};
