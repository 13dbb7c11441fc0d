import type { EndReason, Kind } from '../../../shared/contract/account.ts';
import { kindOf } from '../../../shared/domain/credits/usage-days.ts';

/** What a scrape is charged by, in words. */
export const kindNames: Readonly<Record<Kind, string>> = {
  plain: 'Plain',
  rendered: 'Rendered',
  premium: 'Premium',
  both: 'Rendered, premium',
};

/** Why a scrape cost what it did: the values of `X-Credits-Reason`, in words. */
export const reasonNames: Readonly<Record<EndReason, string>> = {
  page: 'A page was delivered and charged.',
  target_status: 'The target answered with a status that is not charged.',
  no_page: 'No page came back, so nothing was charged.',
  refused: 'The request was refused, so nothing was charged.',
};

export const kindOfOptions = ({ render_js: renderJs = false, premium_proxy: premiumProxy = false }) =>
  kindNames[kindOf({ renderJs, premiumProxy })];
