import { RetryRequest } from '../../shared/contract/batches/batch-request.ts';
import { idempotencyKey } from '../../shared/http/idempotency.ts';
import { takeReaderPlace } from '../../shared/http/reader-place.ts';
import type { Operations } from '../../shared/http/respond.ts';
import { readBody } from '../../shared/request/read-body.ts';
import { batchRequestFromBody } from '../../shared/request/parse-batch-request.ts';
import type { TargetPolicy } from '../../shared/request/parse-scrape-request.ts';
import { batchOf } from './batch-of.ts';
import { submitted, type ReplyNeeds } from './batch-replies.ts';
import { retryBatch, type RetryNeeds } from './retry-batch.ts';
import { submitBatch, type SubmitNeeds } from './submit-batch.ts';
import { submitUpload } from './submit-upload.ts';

type Needs = SubmitNeeds & RetryNeeds & ReplyNeeds;

/** A batch of more requests takes several rounds of writes. */
const MAX_SHORT = 100;

/** The operations that make a batch: of the requests in a call, or of the failed ones of another batch. */
export function newBatches(
  fx: Needs,
  policy: TargetPolicy,
): Pick<Operations<'batches'>, 'submitBatch' | 'retryFailed'> {
  return {
    submitBatch: async (call) => {
      const wanted = batchRequestFromBody(call, policy);
      const key = idempotencyKey(call);
      if ('items' in wanted && wanted.items.length > MAX_SHORT) await takeReaderPlace(call);
      return 'items' in wanted
        ? submitted(fx, await submitBatch(fx, wanted, key, call), call)
        : submitted(fx, await submitUpload(fx, wanted, { key, body: wanted }, call), call);
    },

    retryFailed: async (call) => {
      const { include } = call.body ? readBody(call, RetryRequest) : RetryRequest.parse({});
      const batch = await batchOf(fx, call);
      const retry = { key: idempotencyKey(call), body: { retry_failed: batch.id, include }, include };
      return submitted(fx, await retryBatch(fx, batch, retry, call), call);
    },
  };
}
