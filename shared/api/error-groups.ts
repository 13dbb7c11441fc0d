import { catalogue, type ErrorCode, errorCodes } from '../errors.ts';

/** API Gateway may throttle, or fail to reach a function; every route rejects unknown parameters. */
export const everywhere: ErrorCode[] = ['invalid_request', 'rate_limited', 'internal'];
/** Of every route that needs a key. */
export const ofCaller: ErrorCode[] = [
  ...everywhere,
  'unauthorized',
  'organization_suspended',
  'key_not_allowed',
];
/** Of every scrape request. */
export const ofRequest: ErrorCode[] = [
  ...ofCaller,
  'url_not_allowed',
  'insufficient_credits',
  'cost_cap_exceeded',
];
/** Of what the stage may not have. */
export const ofStage: ErrorCode[] = ['model_not_configured', 'premium_proxy_unavailable'];
export const ofBody: ErrorCode[] = ['unsupported_media_type', 'request_too_large'];
/** Faults of the target, and of the connection to it. */
const ofScrape: ErrorCode[] = errorCodes.filter((code) => catalogue[code].status > 500);
/** Of sync scrapes. */
export const ofWaiting: ErrorCode[] = [
  ...ofScrape,
  'too_many_concurrent',
  'response_too_large',
  'scenario_failed',
  'not_convertible',
  'needs_ocr',
  'extraction_invalid',
];
