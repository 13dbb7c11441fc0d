import { parseWebhookUrl } from '../domain/scrape/target/target-url.ts';

export type UrlPolicy = {
  /** `host:port` receivers that are allowed although private, and over http. */
  allow: readonly string[];
  /** Hosts that never receive events, such as the service's own. */
  refuse?: readonly string[];
};

/** The same request with the URL that is called. Throws `invalid_request` and `url_not_allowed`. */
export function checkedWebhook<T extends { url?: string | undefined }>(request: T, policy: UrlPolicy): T {
  return request.url === undefined
    ? request
    : { ...request, url: parseWebhookUrl(request.url, policy, 'url').href };
}
