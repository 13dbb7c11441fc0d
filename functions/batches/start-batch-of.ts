import { Readable } from 'node:stream';
import type { Batch } from '../../shared/contract/batches/batch.ts';
import { MAX_BATCH_REQUESTS } from '../../shared/contract/batches/batch-request.ts';
import { started } from '../../shared/domain/batches/state.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { takeReaderPlace } from '../../shared/http/reader-place.ts';
import { batchRequestFromBody } from '../../shared/request/parse-batch-request.ts';
import type { TargetPolicy } from '../../shared/request/parse-scrape-request.ts';
import { sentJson } from '../../shared/request/sent-json.ts';
import { begin } from './start-upload.ts';
import { submitBatch, type SubmitNeeds } from './submit-batch.ts';
import { submitUpload, type UploadNeeds } from './submit-upload.ts';

export type StartNeeds = SubmitNeeds & UploadNeeds;

type Wanted = {
  urls: readonly string[];
  /** Fields of each request, and of the batch. */
  defaults: Record<string, unknown>;
  fields: Record<string, unknown>;
  key: string | undefined;
} & Pick<Batch, 'compatHook'>;

/** Characters of the URLs of a batch that is made in one call; more are read as an upload is. */
const MAX_INLINE = 200_000;

/** Begins a batch of any number of URLs with the same fields. Throws what a submit throws. */
export async function startBatchOf(
  fx: StartNeeds,
  policy: TargetPolicy,
  { urls, defaults, fields, key, compatHook }: Wanted,
  call: AuthenticatedCall,
): Promise<Batch> {
  const characters = urls.reduce((sum, url) => sum + url.length, 0);
  const isInline = urls.length <= MAX_BATCH_REQUESTS && characters <= MAX_INLINE;
  await takeReaderPlace(call);
  const requests = urls.map((url) => ({ url }));
  const body = isInline ? { ...fields, defaults, requests } : { ...fields, defaults, input: 'upload' };
  const wanted = batchRequestFromBody(sentJson(body), policy);
  if ('items' in wanted) return (await submitBatch(fx, { ...wanted, compatHook }, key, call)).batch;
  const repeated = { key, body: { ...wanted, urls } };
  const { batch } = await submitUpload(fx, { ...wanted, compatHook, total: urls.length }, repeated, call);
  // A repeat sends again what an earlier call has not.
  if (batch.state !== 'waiting_for_upload') return batch;
  const lines = Readable.from(requests.map((request) => `${JSON.stringify(request)}\n`));
  const version = await fx.uploads.write(batch.upload.key, lines);
  await begin(fx, started(batch, version, fx.now()));
  return batch;
}
