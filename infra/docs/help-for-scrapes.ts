import type { ErrorCode } from '../../shared/errors.ts';
import type { Help } from './help.ts';

/** Errors that occur while a request is processed. */
export const helpForScrapes = {
  idempotency_key_reused: {
    cause: 'This `Idempotency-Key` was sent within the last 24 hours with another body.',
    remedy: 'Use a new key for a new job. Reuse a key only to repeat exactly the same request.',
  },
  not_convertible: {
    cause:
      'The page has no Markdown, text, links, metadata, extracted values, screenshot or PDF, as requested. `reason` says why: `type` (it is neither HTML nor a document), `time` (reading it took longer than 5 seconds), `memory` (it is too large), `depth` (its elements are nested too deeply), `required` (a required rule found no value), `rule` (a rule cannot be evaluated), `selector` (no visible element matches the `selector` of `screenshot`) `size` (a picture would be too large, or `pdf` names pages that do not exist), `uncharged` (values or pictures of a page that is not charged), or, of a document, `encrypted`, `broken` or `pages` (it has more than may be read, or none of those named).',
    remedy:
      'Request the page with `format=html`, which returns every page unchanged. Nothing was charged. For `required` and `rule`, correct the rule named in `message`. For `size`, follow the advice in `message`.',
  },
  needs_ocr: {
    cause: 'All requested pages of the document are pictures, such as scans, without text behind them.',
    remedy:
      'Request the file with `format=html` and recognise its text yourself, or choose other pages with `document.pages`. Nothing was charged.',
  },
  extraction_invalid: {
    cause:
      'The answer of the model was not valid for `extract_schema`, nor was its second one, which knew what was wrong. `message` names the first value that is not valid. A refusal of the model counts as such an answer.',
    remedy:
      'Let the schema allow what the page lacks (`"type": ["string", "null"]`, or fewer names in `required`), say in `extract_prompt` what is meant, or choose the part of the page with `include_selectors`. Nothing was charged.',
  },
  cancelled: {
    cause: 'The job was cancelled by its organization before it finished.',
    remedy: 'Submit the job again if you still want its page. It was not charged.',
  },
  scenario_failed: {
    cause:
      'An instruction of `js_scenario` failed. `message` names it and says why; `scenario` lists the steps up to it, for a job the last 100. `target_status`, `target_url` and `verdict` say which page it failed on: if that is a wall or an error page, `message` says so first.',
    remedy:
      'Correct the instruction, give it a longer `timeout`, make it `optional`, or send `strict: false` to get the page anyway. It was not charged.',
  },
  deadline_exceeded: {
    cause:
      'The job was not finished within its `complete_within`, or 15 minutes after its first attempt: it waited too long for a slot, or its target was slow.',
    remedy:
      'Submit the job again, with a longer `complete_within` if many jobs wait, or a shorter `timeout` if the target often hangs.',
  },
  host_unavailable: {
    cause:
      'A crawl paused at the host after each 429 or 503, from 30 seconds to 15 minutes, and after five pauses it still responded so. The other URLs of the host were not requested.',
    remedy: 'Retry them later with `retry_failed`, with a longer `delay` or a lower `concurrency`.',
  },
  attempts_exhausted: {
    cause: 'Every attempt of the job was interrupted before it produced a page or an error.',
    remedy:
      'Submit the job again later. If it fails again, scrape the page directly to see the error itself.',
  },
  rate_limited: {
    cause: 'The organization sent more than `limit` requests this minute.',
    remedy:
      'Wait `retry_after` seconds and repeat the request. The refused request cost nothing and does not count.',
  },
  too_many_concurrent: {
    cause: 'More than `limit` scrapes, or large or slow responses, would be in progress.',
    remedy: 'Wait `retry_after` seconds and repeat the request, or submit jobs, which wait for a free slot.',
  },
  internal: {
    cause: 'The service failed. The details are in its log.',
    remedy: 'Repeat the request once. If it fails again, send the `request_id` to the operator.',
  },
  dns_failed: {
    cause: 'The host name does not exist, or its name servers did not respond.',
    remedy: 'Check the spelling of the host. If it is right, try again after a pause that doubles each time.',
  },
  target_status: {
    cause:
      'The target responded with a status that `retry_on` lists. Only `last_error` of a job waiting for its next attempt has this code.',
    remedy: 'Wait: the job tries again, and returns the page of its last attempt, whatever its status.',
  },
  connect_failed: {
    cause: 'The target refused the connection, dropped it or did not accept it in time.',
    remedy:
      'Try again after a pause that doubles each time. If a browser reaches the page, try `premium_proxy`.',
  },
  tls_failed: {
    cause:
      'The certificate of the target is expired, issued for another host or untrusted, or no common TLS version exists.',
    remedy: 'Do not repeat the request: only the operator of the target can correct this.',
  },
  proxy_failed: {
    cause: 'The premium proxy refused or dropped the connection to the target.',
    remedy:
      'Try again after a pause that doubles each time, with another `session_id` or `country_code` if you send one.',
  },
  bad_upstream_response: {
    cause:
      'The target ended the connection early, or sent bytes that are not valid HTTP or cannot be decoded. A page that was cut off is delivered, with `X-Content-Truncated`, if enough of it arrived.',
    remedy: 'Try again after a pause that doubles each time.',
  },
  maybe_sent: {
    cause:
      'A request with the method POST, PUT or PATCH failed after its first byte was sent, or the worker of its job ended then. The target may have acted on it. `cause` is the original error, if any.',
    remedy:
      'Check whether the target has acted. Send the request again only if it has not, or if it may act twice.',
  },
  too_many_redirects: {
    cause: 'The target redirected more than 10 times, often because it expects a cookie.',
    remedy: 'Send the `cookies` that the site sets in a browser, or the final URL.',
  },
  browser_crashed: {
    cause: 'Chromium crashed while rendering the page, usually because the page needs too much memory.',
    remedy: 'Try again, with `block_resources` and `block_ads`, or without `render_js`.',
  },
  model_failed: {
    cause:
      "The operator's model could not be reached, was overloaded, or answered with something that is no answer.",
    remedy: 'Try again after `retry_after` seconds, if it is there. Jobs and batches do so by themselves.',
  },
  premium_proxy_unavailable: {
    cause: 'The request has `premium_proxy`, but the operator has configured no premium proxy.',
    remedy: 'Send the request without `premium_proxy`, or ask the operator to configure one.',
  },
  busy: {
    cause: 'Every browser or worker of the service is in use.',
    remedy: 'Wait `retry_after` seconds, or two if it is absent, and repeat the request.',
  },
  timeout: {
    cause:
      'The page did not arrive, or did not finish rendering, within `timeout`. `phase` says what the scrape was waiting for.',
    remedy:
      'Allow a larger `timeout`, up to 120,000 ms, wait for less with `wait_until` or `wait_for`, or submit a job.',
  },
} satisfies Partial<Record<ErrorCode, Help>>;
