import { type Answer, answerOf, pollAfterMs } from './answer.ts';
import { change, entriesOf, get, remove, submit, type SubmitOptions } from './calls.ts';
import { pause } from './deadline.ts';
import { Page } from './page.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Job, JobRequest, JobsQuery, SubmittedJob } from './types.ts';

/** A part of a text: see "In parts" in docs/outputs.md. */
export type PartOptions = CallOptions & { maxChars?: number; offset?: number };

export type Jobs = ReturnType<typeof jobsOf>;

const PATH = '/api/v1/scraper/jobs';
const POLL_MS = 2_000;
/** A submit waits so long for its result. The rest of the attempt's time is for reading it. */
const WAIT = { Prefer: 'wait=50' };
const SHORTEST_WAITING_MS = 60_000;
/** A job that has not ended in time is 202. */
const PAGE = 200;

/** Pages that are fetched in the background, and kept for 30 days. */
export function jobsOf(transport: Transport) {
  return {
    /** Submits a job and resolves to its page, also if the connection is lost meanwhile. */
    run: (request: JobRequest, options: SubmitOptions = {}) => run(transport, request, options),
    /** Resolves once the job has completed. Rejects with its error if it fails. */
    wait: (jobId: string, options: CallOptions = {}) => wait(transport, jobId, options),
    submit: async (request: JobRequest, options?: SubmitOptions) =>
      answerOf<SubmittedJob>(await submit(transport, PATH, request, options)),
    get: (jobId: string, options?: CallOptions) => get<Job>(transport, `${PATH}/${jobId}`, options),
    /** The page of a completed job, or a part of its text. Free. */
    result: (jobId: string, options?: PartOptions) => resultOf(transport, { job_id: jobId }, options),
    list: (query: JobsQuery = {}, options?: CallOptions) =>
      entriesOf<Job>(transport, PATH, { ...options, query }),
    cancel: (jobId: string, options?: CallOptions) =>
      change<Job>(transport, `${PATH}/${jobId}/cancel`, options),
    delete: (jobId: string, options?: CallOptions) => remove(transport, `${PATH}/${jobId}`, options),
  };
}

async function run(transport: Transport, request: JobRequest, options: SubmitOptions): Promise<Page> {
  const mayWait = (options.timeoutMs ?? SHORTEST_WAITING_MS) >= SHORTEST_WAITING_MS;
  const headers = mayWait ? WAIT : {};
  const received = await submit(transport, PATH, request, { ...options, headers });
  if (received.status === PAGE) return new Page(received);
  const job = await wait(transport, answerOf<SubmittedJob>(received).job_id, options);
  return resultOf(transport, job, options);
}

async function wait(transport: Transport, jobId: string, options: CallOptions): Promise<Answer<Job>> {
  for (;;) {
    const received = await transport.send({ ...options, to: `${PATH}/${jobId}`, isRepeatable: true });
    const job = answerOf<Job>(received);
    if (job.status === 'completed') return job;
    // Its result is its error, with all that the service says about it.
    if (job.status === 'failed') await resultOf(transport, job, options);
    else await pause(pollAfterMs(received.headers, POLL_MS), options.signal);
  }
}

async function resultOf(
  { send }: Transport,
  job: Pick<Job, 'job_id'> & Partial<Job>,
  { maxChars, offset, ...options }: PartOptions = {},
): Promise<Page> {
  const query = { max_chars: maxChars, offset };
  const to = `${PATH}/${job.job_id}/result`;
  return new Page(await send({ ...options, to, query, isRepeatable: true }), job);
}
