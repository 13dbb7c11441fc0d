import type { ErrorCode } from '../../shared/errors.ts';
import type { Help } from './help.ts';

/** Errors caused by the request itself. */
export const helpForRequests = {
  invalid_request: {
    cause:
      'A field of the request is unknown, missing, of the wrong type or out of range, or the body is not JSON. `param` names the field, and `errors` lists several faults: up to 20, or for a batch one per request and up to 1,020.',
    remedy: 'Correct the field that `message` describes. For a misspelled field, it suggests the right name.',
  },
  url_not_allowed: {
    cause:
      'The URL, or one that it redirects to, has another scheme or port, contains a user and password, is not on a public host, or is this service itself. `reason` says which.',
    remedy: 'Send an absolute http or https URL of a public host on port 80, 443, 8080 or 8443.',
  },
  model_not_configured: {
    cause: 'The request has `extract_schema`, but the operator has configured no model that reads pages.',
    remedy: 'Send `extract_rules`, or ask the operator to configure a model.',
  },
  unauthorized: {
    cause: 'No key was sent, or the key is unknown, revoked or expired. `message` says which of the two.',
    remedy:
      'Send `Authorization: Bearer sf_...` with a current key. If the key was valid before, ask the operator for a new one.',
  },
  insufficient_credits: {
    cause:
      'The scrape may cost more than the credits left this month. `credits_required` is its price, `credits_remaining` the balance, and `resets_at` the start of the next month.',
    remedy:
      'Leave out `render_js` or `premium_proxy` if the page allows it, wait for the next calendar month (UTC), or ask the operator for more.',
  },
  cost_cap_exceeded: {
    cause: 'The scrape could cost `credits_required`, which is more than its `max_credits`.',
    remedy: 'Raise `max_credits`, or leave out `render_js` or `premium_proxy`.',
  },
  organization_suspended: {
    cause: 'The operator has suspended the organization that owns this key.',
    remedy: 'Contact the operator. No request succeeds until the suspension is lifted.',
  },
  key_not_allowed: {
    cause:
      'The key is restricted to other routes or formats, or the scrape may exceed its daily credits. `message` says which.',
    remedy:
      'Use another key of the organization, or have a member lift the restriction. A credit cap resets at midnight UTC, as `resets_at` says.',
  },
  robots_required: {
    cause: 'The request has `"robots": "ignore"`, which the operator of this service does not allow.',
    remedy: 'Leave `robots` out, or send `"robots": "report"` to see which URLs robots.txt disallows.',
  },
  not_found: {
    cause: 'The path is unknown, the job, batch or crawl belongs to another organization, or it has expired.',
    remedy: 'Check the path and the `job_id`. Jobs and their results are kept for 30 days after they finish.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  job_not_finished: {
    cause: 'The result was requested while its job is pending or running. `status` says which.',
    remedy: 'Wait the seconds in `Retry-After`, then request the status of the job.',
  },
  webhook_disabled: {
    cause:
      'The endpoint receives no events: its receiver returned 410, or only failures for days, or a call disabled it. `disabled_by` of the endpoint says which.',
    remedy: 'Repair the receiver, then send `{"enabled": true}` to the endpoint by PATCH.',
  },
  too_many_webhooks: {
    cause: 'The organization has 20 endpoints, the maximum.',
    remedy: 'Delete an endpoint that is no longer needed, or use a URL as the `webhook` of a job.',
  },
  job_finished: {
    cause: 'The job has already completed, failed or been cancelled. `status` says which.',
    remedy: 'Nothing is left to cancel. Delete the job to remove its result.',
  },
  batch_finished: {
    cause: 'Every request of the batch has ended.',
    remedy: 'Nothing is left to cancel.',
  },
  batch_not_finished: {
    cause:
      'The failed requests of a batch cannot be retried while other requests in it are waiting or running.',
    remedy: 'Wait until `completed_at` of the batch is set, or cancel the batch. Then try again.',
  },
  crawl_finished: {
    cause: 'Every URL of the crawl has its outcome.',
    remedy: 'Nothing is left to cancel.',
  },
  crawl_not_finished: {
    cause: 'The failed URLs of a crawl cannot be retried while others are waiting or running.',
    remedy: 'Wait until `completed_at` of the crawl is set, or cancel the crawl. Then try again.',
  },
  upload_missing: {
    cause:
      'The batch was started before its requests were uploaded, or the upload was replaced or deleted while the batch ran.',
    remedy:
      'Send the requests to `upload_url` by PUT, as lines of JSON, then start the batch. `GET` of the batch returns a fresh `upload_url`.',
  },
  too_many_uploads: {
    cause: 'The organization has 50 batches with the status `waiting_for_upload`.',
    remedy: 'Upload and start some of them, or cancel them. A batch not started within a day is deleted.',
  },
  nothing_to_retry: {
    cause:
      'No request of the batch or crawl ended in a way that `include` selects; without `include`, none failed or was cancelled.',
    remedy: 'Nothing is left to do.',
  },
  idempotency_in_flight: {
    cause: 'Another request with this `Idempotency-Key` is still being accepted.',
    remedy: 'Wait the seconds in `Retry-After` and send the same request again.',
  },
  precondition_failed: {
    cause: 'The result is not the version that `If-Match` or `If-Unmodified-Since` requires.',
    remedy: 'Fetch the result without the condition, and keep its new `ETag`.',
  },
  request_too_large: {
    cause:
      'The request body exceeds 256 KiB, not counting a `body` for the target, which has its own limit. Or a batch exceeds 2 MB, one of its requests 256 KiB with the defaults, or all of them together 50 MB.',
    remedy: 'Send fewer or shorter headers and cookies, or upload the batch, which stores its defaults once.',
  },
  upload_too_large: {
    cause: 'The upload is larger than 1 GB, or has more than 1,000,000 requests.',
    remedy: 'Divide the requests into several batches.',
  },
  response_too_large: {
    cause: 'The page, decompressed, exceeds 50 MB.',
    remedy: 'Scrape a smaller page, for example one part of a paginated list. The limit cannot be raised.',
  },
  unsupported_media_type: {
    cause: 'The `Content-Type` of the request is not JSON, or its charset is not UTF-8.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  range_not_satisfiable: {
    cause: 'The `Range` header begins after the last byte of the result.',
    remedy: 'Read the length from `Content-Range` and request a range within it.',
  },
} satisfies Partial<Record<ErrorCode, Help>>;
