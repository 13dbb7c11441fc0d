export const MAX_REDIRECTS = 10;

/** https://fetch.spec.whatwg.org/#redirect-status */
export const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** As in browsers: another status, or no location, is a document. */
export function isRedirect(status: number, location: string | null | undefined): location is string {
  return REDIRECT_STATUSES.includes(status) && Boolean(location);
}
