/** What an address says that it is for: `news` comes some time, whatever the page shows. */
export type Purpose = 'news' | 'advertising' | 'comments' | 'variant' | 'unknown';

const named = (...words: string[]) => new RegExp(`(?<![a-z])(${words.join('|')})(?![a-z])`, 'i');

/** Of sites of tests, which change what a page shows. */
const VARIANT = named(
  'a-?b',
  'a-?b-?test(s|ing)?',
  'experiments?',
  'variants?',
  'variations?',
  'optimi[sz]e(ly)?',
  'split-?tests?',
  'personali[sz](e|ation)',
  'growthbook',
  'statsig',
  'vwo',
  'kameleoon',
  'abtasty',
);
const ADVERTISING = named(
  'bids?',
  'bidders?',
  'bid-?requests?',
  'open-?rtb',
  'rtb',
  'prebid',
  'auctions?',
  'header-?bidding',
  'ads',
  'adserver',
  'ad-?(slot|unit|tag)s?',
  'creatives?',
  'viewability',
  'vast',
  'cookie-?sync',
  'user-?sync',
);
const COMMENTS = named('comments?', 'disqus', 'repl(y|ies)', 'guestbook');
const NEWS = named(
  'notif(y|ications?|s)?',
  'inbox',
  'unread',
  'updates?',
  'changes',
  'presence',
  'comet',
  'long-?poll(ing)?',
  'poll(ing)?',
  'listen',
  'subscribe',
  'wait',
  'last_?event_?id',
  'heart-?beats?',
);
/** A server is to hold the request for so long. */
const HOLDS = /[?&](timeout|wait|hold|block)=\d/i;

export function purposeOf(url: string): Purpose {
  const place = url
    .replace(/^\w+:\/\/[^/?#]*/, '')
    .replace(/#.*/s, '')
    .slice(0, MAX_LENGTH);
  if (VARIANT.test(place)) return 'variant';
  if (ADVERTISING.test(place)) return 'advertising';
  if (COMMENTS.test(place)) return 'comments';
  return NEWS.test(place) || HOLDS.test(place) ? 'news' : 'unknown';
}

const MAX_LENGTH = 500;
