import type { z } from 'zod';
import type { BatchList, BatchParts, BatchResult, BatchView } from '../../contract/batches/batch.ts';
import type { BatchRequest, RetryRequest, UploadRequest } from '../../contract/batches/batch-request.ts';
import { EXAMPLE_API_URL, exampleBatchId } from './examples.ts';

type Example<T> = { summary: string; value: T };

export const batchRequests = {
  shared: {
    summary: 'Two pages with the same options',
    value: {
      defaults: { render_js: true },
      requests: [
        { url: 'https://example.com/', custom_id: 'home' },
        { url: 'https://example.com/about', custom_id: 'about', wait_for: '#team' },
      ],
      tags: ['nightly'],
      max_credits: 10,
    },
  },
  upload: {
    summary: 'An upload',
    value: { input: 'upload', defaults: { render_js: true }, tags: ['nightly'], max_credits: 500_000 },
  },
} satisfies Record<string, Example<z.input<typeof BatchRequest | typeof UploadRequest>>>;

export const retryRequests = {
  walls: { summary: 'What failed, and bot walls', value: { include: ['failed', 'wall'] } },
} satisfies Record<string, Example<z.input<typeof RetryRequest>>>;

const nothing = {
  ...{ total: 0, invalid: 0, pending: 0, running: 0, completed: 0, failed: 0 },
  ...{ charged: 0, uncharged: 0 },
};

const running: BatchView = {
  batch_id: exampleBatchId,
  status: 'running',
  counts: { ...nothing, total: 2, running: 1, completed: 1, charged: 1, by_verdict: { page: 1 } },
  credits_used: 5,
  tags: ['nightly'],
  created_at: '2026-11-21T06:59:58.000Z',
  started_at: '2026-11-21T06:59:58.000Z',
  deadline_at: '2026-11-22T06:59:58.000Z',
  expires_at: '2026-12-22T06:59:58.000Z',
  results_url: `${EXAMPLE_API_URL}/api/v1/scraper/batches/${exampleBatchId}/results`,
};

export const batch = {
  waiting: {
    summary: 'It waits for its requests',
    value: {
      ...running,
      status: 'waiting_for_upload',
      counts: { ...nothing, by_verdict: {} },
      credits_used: 0,
      upload_url: 'https://bucket.s3.amazonaws.com/requests.ndjson?X-Amz-Signature=…',
    },
  },
  running: { summary: 'One of two pages is there', value: running },
} satisfies Record<string, Example<BatchView>>;

export const batchList = {
  page: { summary: 'The newest batches', value: { data: [running], next_cursor: 'MDE5ZTJmM2I' } },
} satisfies Record<string, Example<BatchList>>;

const line: BatchResult = {
  line: 1,
  url: 'https://example.com/',
  custom_id: 'home',
  status: 'completed',
  started_at: '2026-11-21T06:59:58.300Z',
  completed_at: '2026-11-21T07:00:00.000Z',
  attempts: 1,
  credits_used: 5,
  credits_reason: 'page',
  target_status: 200,
  target_url: 'https://example.com/',
  content_type: 'text/html',
  bytes: 37,
  verdict: 'page',
  body_encoding: 'utf-8',
  body: '<!doctype html><title>Example</title>',
  batch_id: exampleBatchId,
  cursor: '-.0.1',
};

export const batchLines = {
  lines: { summary: 'A completed request, with `include=body`', value: `${JSON.stringify(line)}\n` },
};

export const batchParts = {
  parts: {
    summary: 'The stored results of a batch',
    value: {
      data: [
        {
          url: 'https://bucket.s3.amazonaws.com/0-1-pages.ndjson.gz?X-Amz-Signature=…',
          lines: 25,
          bytes: 912_345,
        },
        { lines: 75, first_line: 26, error_code: 'cancelled' },
      ],
      next_cursor: 'MwYA',
    },
  },
} satisfies Record<string, Example<BatchParts>>;
