import type { ErrorCode } from '../errors.ts';
import { BatchesQuery, ResultsQuery } from '../contract/batches/batch.ts';
import { ofBody, ofCaller, ofRequest, ofStage } from './error-groups.ts';
import {
  batch,
  batchLines,
  batchList,
  batchRequests,
  retryRequests,
  batchParts,
} from './openapi/batch-examples.ts';
import { jsonOf, linesOf, metered } from './openapi/media.ts';
import { batchId, idempotencyKey, inQuery } from './openapi/parameters.ts';
import type { Route } from './route.ts';

const ofSubmit: ErrorCode[] = [
  ...ofRequest,
  ...ofBody,
  'idempotency_in_flight',
  'idempotency_key_reused',
  ...ofStage,
  'too_many_concurrent',
  'busy',
];

const accepted = metered(
  'The batch was accepted.',
  ['Location', 'Retry-After', 'Idempotent-Replayed'],
  jsonOf('Batch', batch),
);

const reads = { function: 'batches', auth: 'key', bucket: 'read', tag: 'Batches' } as const;
const submits = { ...reads, bucket: 'scrape' } as const;

export const batchRoutes = [
  {
    ...submits,
    method: 'POST',
    path: '/api/v1/scraper/batches',
    operationId: 'submitBatch',
    summary: 'Submit a batch',
    description:
      'Up to 1,000 requests in up to 2 MB, which run in free slots without delaying single jobs. If any request is invalid, the response names every invalid request and nothing is submitted. Requires credits for all requests; only completed requests are charged. With `"input": "upload"` instead of `requests` the response has an `upload_url`: send up to 1,000,000 requests there by PUT, one per line as JSON, up to 1 GB, and start the batch.',
    body: {
      'application/json': {
        schema: {
          anyOf: [
            { $ref: '#/components/schemas/BatchRequest' },
            { $ref: '#/components/schemas/UploadRequest' },
          ],
        },
        examples: batchRequests,
      },
    },
    parameters: [idempotencyKey('batch')],
    responses: { 202: accepted },
    errors: [...ofSubmit, 'too_many_uploads'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/scraper/batches',
    operationId: 'listBatches',
    takesPlace: true,
    summary: 'List batches',
    description:
      'The batches of the organization, newest first, each on exactly one page. A page may have fewer batches than `limit`, and still have a `next_cursor`; it ends before 256 KB.',
    parameters: inQuery(BatchesQuery),
    responses: { 200: metered('A page of the list.', ['Link'], jsonOf('BatchList', batchList)) },
    errors: [...ofCaller, 'too_many_concurrent', 'busy'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/scraper/batches/{batch_id}',
    operationId: 'getBatch',
    summary: "Get a batch's status",
    description:
      'How many of its requests are waiting, running, completed and failed, and their cost so far.',
    parameters: [batchId],
    responses: {
      200: metered(
        'The current state of the batch. `Retry-After` is set while it is running.',
        ['Retry-After'],
        jsonOf('Batch', batch),
      ),
    },
    errors: [...ofCaller, 'not_found', 'busy'],
  },
  {
    ...reads,
    method: 'POST',
    path: '/api/v1/scraper/batches/{batch_id}/start',
    operationId: 'startBatch',
    summary: 'Start a batch once its requests are uploaded',
    description:
      'Lines that are not valid requests do not stop the batch: they are counted as `invalid` and listed in the results. Starting a batch again changes nothing.',
    parameters: [batchId],
    responses: {
      200: metered('The batch, which is running.', ['Retry-After'], jsonOf('Batch', batch)),
    },
    errors: [...ofCaller, 'not_found', 'batch_finished', 'upload_missing', 'upload_too_large', 'busy'],
  },
  {
    ...reads,
    method: 'POST',
    path: '/api/v1/scraper/batches/{batch_id}/cancel',
    operationId: 'cancelBatch',
    summary: 'Cancel a batch',
    description:
      'No further request begins. Waiting requests end as `failed` with `error_code` `cancelled` within a minute, and cost nothing. Requests in progress may still complete.',
    parameters: [batchId],
    responses: { 200: metered('The cancelled batch.', [], jsonOf('Batch', batch)) },
    errors: [...ofCaller, 'not_found', 'batch_finished', 'busy'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/scraper/batches/{batch_id}/results',
    operationId: 'getBatchResults',
    takesPlace: true,
    summary: "Get a batch's results",
    description:
      'One line of JSON for each finished request, as many as fit into a response. To continue after a line, send its `cursor`; no result is repeated or skipped. `Link` leads to the next lines until all results have been read; if requests still run, it may have no lines yet. A response ends before 256 KB or, with `include=body`, after about 16 MB of pages. Results come in portions, as workers store them, in line order within a portion. With `Accept: application/json` the response lists links to these portions.',
    parameters: [batchId, ...inQuery(ResultsQuery)],
    responses: {
      200: metered('Results that the cursor does not cover.', ['Link'], {
        ...linesOf('BatchResult', batchLines),
        ...jsonOf('BatchParts', batchParts),
      }),
    },
    errors: [...ofCaller, 'not_found', 'too_many_concurrent', 'busy'],
  },
  {
    ...submits,
    method: 'POST',
    path: '/api/v1/scraper/batches/{batch_id}/retry_failed',
    operationId: 'retryFailed',
    takesPlace: true,
    summary: 'Retry the failed requests of a batch',
    description:
      'Submits a new batch with unchanged copies of the requests of a finished batch that failed or were cancelled, or that `include` selects.',
    body: jsonOf('RetryRequest', retryRequests),
    isBodyOptional: true,
    parameters: [batchId, idempotencyKey('batch')],
    responses: { 202: accepted },
    errors: [...ofSubmit, 'not_found', 'batch_not_finished', 'nothing_to_retry'],
  },
] as const satisfies readonly Route[];
