import type { ActivityView } from '../../../shared/contract/accounts/activity.ts';
import type { EndReason } from '../../../shared/contract/accounts/account.ts';
import type { CacheState } from '../../../shared/contract/scrape/cache.ts';
import { type Kind, kindOf } from '../../../shared/contract/scrape/mode.ts';
import type { VerdictKind } from '../../../shared/contract/scrape/verdict.ts';

/** The kinds of scrape, in words. */
export const kindNames: Readonly<Record<Kind, string>> = {
  plain: 'Plain',
  rendered: 'Rendered',
  premium: 'Premium',
  both: 'Rendered, premium',
};

/** The reasons for a charge, in words: the values of `X-Credits-Reason`. */
export const reasonNames: Readonly<Record<EndReason, string>> = {
  page: 'A page was delivered and charged.',
  target_status: 'The target returned a status that is not charged.',
  wall: 'The target returned a bot wall, which is not charged.',
  no_page: 'No page came back, so nothing was charged.',
  cached: 'A kept page was delivered, free of charge.',
  duplicate: 'A crawl had the same page from another URL, so it was not charged.',
  refused: 'The request was refused, so nothing was charged.',
};

/** What came of a request whose page may be kept, in words: the values of `X-Cache`. */
export const cacheNames: Readonly<Record<CacheState, string>> = {
  hit: 'A kept page was returned.',
  revalidated: 'A kept page was returned, which the target had not changed.',
  miss: 'The page was fetched, and kept if it is one.',
};

/** What the target returned, in words: the values of `X-Page-Verdict`. */
export const verdictNames: Readonly<Record<VerdictKind, string>> = {
  page: 'The page',
  bot_wall: 'A bot wall',
  login_wall: 'A login instead',
  consent_wall: 'A consent page instead',
  empty: 'An empty page',
  payment_required: 'A demand for payment',
};

export const kindOfOptions = ({
  mode,
  render_js: renderJs = false,
  premium_proxy: premiumProxy = false,
}: Options) => (mode === undefined ? kindNames[kindOf({ renderJs, premiumProxy })] : 'automatic');

/** Of a line of activity. */
export const kindOfLine = ({ type, options }: Pick<ActivityView, 'type' | 'options'>) =>
  type === 'map' ? 'Map of a site' : kindOfOptions(options);

type Options = {
  mode?: 'auto' | undefined;
  render_js?: boolean | undefined;
  premium_proxy?: boolean | undefined;
};
