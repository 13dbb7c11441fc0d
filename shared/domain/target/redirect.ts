/** How many a scrape follows. */
export const MAX_REDIRECTS = 10;

/** https://fetch.spec.whatwg.org/#redirect-status */
export const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Whether an answer leads on, as browsers see it: any other status, or no address to go to, is a document. */
export function isRedirect(status: number, location: string | null | undefined): location is string {
  return REDIRECT_STATUSES.includes(status) && Boolean(location);
}
