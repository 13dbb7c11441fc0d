import { type Answer, answerOf, pollAfterMs } from './answer.ts';
import { change, entriesOf, get, resultsOf, submit, type SubmitOptions } from './calls.ts';
import { pause } from './deadline.ts';
import { SitefetchError } from './sitefetch-error.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Batch, BatchLine, BatchRequest, BatchResult, RetryRequest, UploadRequest } from './types.ts';

/** Results come with their pages, and behind the line that has the cursor. */
export type ResultOptions = CallOptions & { include?: 'body'; cursor?: string };

/** Requests as a file of JSON lines, or one by one: as objects, or as lines of text. */
export type Lines = Blob | Iterable<BatchLine | string> | AsyncIterable<BatchLine | string>;

export type Batches = ReturnType<typeof batchesOf>;

const PATH = '/api/v1/scraper/batches';
const POLL_MS = 5_000;
const EXPIRED = 403;

/** Up to 1,000 requests in one call, or 1,000,000 of a file. */
export function batchesOf(transport: Transport) {
  return {
    submit: (request: BatchRequest, options?: SubmitOptions) => submitBatch(transport, request, options),
    /** Uploads the requests and starts the batch. A stream is first read to its end, into memory. */
    upload: (lines: Lines, fields: UploadRequest = {}, options: SubmitOptions = {}) =>
      upload(transport, lines, { fields, options }),
    /** Resolves once every request has ended. Rejects if the batch was cancelled. */
    wait: (batchId: string, options: CallOptions = {}) => wait(transport, batchId, options),
    get: (batchId: string, options?: CallOptions) => get<Batch>(transport, `${PATH}/${batchId}`, options),
    list: (options?: CallOptions) => entriesOf<Batch>(transport, PATH, options),
    cancel: (batchId: string, options?: CallOptions) =>
      change<Batch>(transport, `${PATH}/${batchId}/cancel`, options),
    /** A line for every request, until the last one has ended. A line says if its request failed. */
    results: (batchId: string, { include, ...options }: ResultOptions = {}) =>
      resultsOf<BatchResult>(transport, `${PATH}/${batchId}/results`, { ...options, query: { include } }),
    retryFailed: async (batchId: string, request: RetryRequest = {}, options?: SubmitOptions) =>
      answerOf<Batch>(await submit(transport, `${PATH}/${batchId}/retry_failed`, request, options)),
  };
}

const submitBatch = async (transport: Transport, request: object, options?: SubmitOptions) =>
  answerOf<Batch>(await submit(transport, PATH, request, options));

type Upload = { fields: UploadRequest; options: SubmitOptions };

async function upload(transport: Transport, lines: Lines, { fields, options }: Upload) {
  const file = await fileOf(lines);
  const request = { ...fields, input: 'upload', content_length: file.size };
  const batch = await submitBatch(transport, request, options);
  // A repeated submit may find its batch already started.
  if (batch.status !== 'waiting_for_upload') return batch;
  await put(transport, batch, file, options);
  const { signal, timeoutMs } = options;
  const to = `${PATH}/${batch.batch_id}/start`;
  return answerOf<Batch>(await transport.send({ signal, timeoutMs, method: 'POST', to, isRepeatable: true }));
}

/** A link expires: a fresh one is fetched once. */
async function put(
  transport: Transport,
  { batch_id, upload_url: url = '' }: Batch,
  body: Blob,
  { signal, timeoutMs }: CallOptions,
): Promise<void> {
  const sent = (to: string) =>
    transport.send({ signal, timeoutMs, method: 'PUT', to: { url: to }, body, isRepeatable: true });
  await sent(url).catch(async (error: unknown) => {
    if (!(error instanceof SitefetchError && error.status === EXPIRED)) throw error;
    const { upload_url: fresh = '' } = await get<Batch>(transport, `${PATH}/${batch_id}`, { signal });
    await sent(fresh);
  });
}

async function wait(transport: Transport, batchId: string, options: CallOptions): Promise<Answer<Batch>> {
  for (;;) {
    const received = await transport.send({ ...options, to: `${PATH}/${batchId}`, isRepeatable: true });
    const batch = answerOf<Batch>(received);
    if (batch.status === 'cancelled') throw cancelled(batch);
    if (batch.status === 'completed') return batch;
    await pause(pollAfterMs(received.headers, POLL_MS), options.signal);
  }
}

function cancelled({ batch_id, error, error_code, requestId }: Answer<Batch>): SitefetchError {
  const message = error ?? `The batch ${batch_id} was cancelled.`;
  return new SitefetchError(error_code ?? 'cancelled', message, { requestId, retryable: false });
}

async function fileOf(lines: Lines): Promise<Blob> {
  if (lines instanceof Blob) return lines;
  const parts: string[] = [];
  for await (const line of lines) parts.push(typeof line === 'string' ? line : JSON.stringify(line), '\n');
  return new Blob(parts);
}
