import type { TargetRefusal } from '../../../contract/error-body.ts';
import { AppError, TARGET_RULE } from '../../../errors.ts';
import { PORTS } from './target-host.ts';

/** Of the URL itself, and not of what it leads to. */
type OwnRefusal = Exclude<TargetRefusal, 'redirect' | 'robots'>;

const PROBLEMS: Readonly<Record<OwnRefusal, string>> = {
  scheme: 'its scheme is neither http nor https',
  userinfo: 'it contains a user name or password',
  host: 'its host is not a public host name',
  port: `its port is not one of ${PORTS.join(', ')}`,
  private: 'its host is, or resolves to, an address that is not public',
  own: 'it is an address of this service',
};

const MAX_QUOTED = 200;

/** `url_not_allowed` for a URL as the caller wrote it, with advice on how to allow it. */
export function urlNotAllowed(reason: OwnRefusal, url: string, advice = ''): AppError {
  return new AppError('url_not_allowed', {
    message: `"${quoted(url)}" may not be scraped: ${PROBLEMS[reason]}.${advice}`,
    fields: { param: 'url', reason },
  });
}

/** The same for a receiver of events, which must be https. */
export function receiverNotAllowed(reason: OwnRefusal, url: string, param: string, advice = ''): AppError {
  const problem = reason === 'scheme' ? 'its scheme is not https' : PROBLEMS[reason];
  return new AppError('url_not_allowed', {
    message: `"${quoted(url)}" may not receive events: ${problem}.${advice}`,
    fields: { param, reason },
  });
}

/** `url_not_allowed` for a URL that the target led to. Never names the address that it resolves to. */
export function redirectNotAllowed(url: string, why = `It must be ${TARGET_RULE}.`): AppError {
  return new AppError('url_not_allowed', {
    message: `The target redirects to "${quoted(url)}", which may not be scraped. ${why}`,
    fields: { param: 'url', reason: 'redirect' },
  });
}

/** The same for a URL that robots.txt disallows, in a crawl. `target_url` is where it redirects to. */
export function redirectDisallowed(url: string): AppError {
  return new AppError('url_not_allowed', {
    message: `The target redirects to "${quoted(url)}", which its robots.txt disallows.`,
    fields: { param: 'url', reason: 'robots', target_url: url },
  });
}

/** Without its password: errors are copied into tickets and logs. */
function quoted(url: string): string {
  const safe = url.replace(/(:\/\/[^/?#:@]*:)[^/?#]*@/, '$1***@');
  return safe.length > MAX_QUOTED ? `${safe.slice(0, MAX_QUOTED)}…` : safe;
}
