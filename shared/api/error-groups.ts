import { catalogue, type ErrorCode, errorCodes } from '../errors.ts';

/** API Gateway's own: it throttles as a fuse, and may fail to reach a function. */
export const everywhere: ErrorCode[] = ['rate_limited', 'internal'];
/** Of every route that needs a key. */
export const ofCaller: ErrorCode[] = [...everywhere, 'unauthorized', 'organization_suspended'];
/** Of every scrape request. */
export const ofRequest: ErrorCode[] = [
  ...ofCaller,
  'invalid_request',
  'url_not_allowed',
  'insufficient_credits',
];
export const ofBody: ErrorCode[] = ['unsupported_media_type', 'request_too_large'];
/** What may go wrong out there, and with the means to get there. */
const ofScrape: ErrorCode[] = errorCodes.filter((code) => catalogue[code].status > 500);
/** Of scrapes that the caller waits for. */
export const ofWaiting: ErrorCode[] = [...ofScrape, 'too_many_concurrent', 'response_too_large'];
