import { extractionCredits } from '../../contract/scrape/extract-schema.ts';
import { type How, Kind, kindOf, PRICES } from '../../contract/scrape/mode.ts';
import { picturesIn } from '../../contract/scrape/picture.ts';
import { camelShape } from '../../contract/case.ts';
import { type ScrapeRequest, withRenderJs } from '../../contract/scrape/scrape-request.ts';

/** What came of a rung. */
export type Came = {
  /** A verdict, `shell`, `missing`, or the code of an error. */
  what: string;
  /** Of a page. */
  status?: number;
  /** Of a bot wall: a browser may pass it. */
  isChallenge?: boolean;
  /** The rules with `required` have found their values, however little else there is. */
  isComplete?: boolean;
};

type Rule = { when: (came: Came, hadBrowser: boolean) => boolean; to: readonly Kind[] };

const NEXT = Kind.options;
const WITH_BROWSER: readonly Kind[] = ['rendered', 'both'];
/** From another address. */
const PREMIUM: readonly Kind[] = ['premium', 'both'];

const UNFINISHED: readonly string[] = ['empty', 'shell', 'missing'];
/** The target turned this address away. */
const REFUSED: readonly string[] = ['connect_failed', 'tls_failed', 'bad_upstream_response'];
const REFUSING: readonly (number | undefined)[] = [403, 429];
const isFound = ({ status = 0 }: Came) => status < 400;

/** Which rungs help after what came. The first that holds decides; where none does, the ladder ends. */
const RULES: readonly Rule[] = [
  { when: ({ isComplete = false }) => isComplete, to: [] },
  {
    when: ({ what, isChallenge = false }, hadBrowser) => what === 'bot_wall' && isChallenge && !hadBrowser,
    to: WITH_BROWSER,
  },
  { when: ({ what }) => what === 'bot_wall' || REFUSED.includes(what), to: PREMIUM },
  { when: ({ what, status }) => what === 'page' && REFUSING.includes(status), to: PREMIUM },
  { when: (came) => UNFINISHED.includes(came.what) && isFound(came), to: NEXT },
];

/** The rungs of a request: within its credits, and with a browser if it needs one. */
export function ladderOf(request: Partial<ScrapeRequest>): Kind[] {
  const { maxCredits = Infinity } = request;
  const rungs = needsBrowser(request) ? WITH_BROWSER : Kind.options;
  return rungs.filter((kind) => PRICES[kind] + extractionCredits(request) <= maxCredits);
}

/** The kinds of scrape that may bring the page of a request. */
export const rungsOf = (request: Partial<ScrapeRequest> & How): Kind[] =>
  request.mode === undefined ? [kindOf(request)] : ladderOf(request);

/** `wait_for` is looked for in any page. */
const { waitFor: _inAnyPage, ...browserFields } = camelShape(withRenderJs);
const BROWSER_FIELDS = Object.keys(browserFields) as (keyof typeof browserFields)[];

function needsBrowser(request: Partial<ScrapeRequest>): boolean {
  const isAsked = BROWSER_FIELDS.some((name) => request[name] !== undefined);
  return isAsked || request.capture !== undefined || picturesIn(request).length > 0;
}

/** The next rung of a ladder. Undefined if none above helps. */
export function nextRung(rung: Kind, came: Came, ladder: readonly Kind[]): Kind | undefined {
  const hadBrowser = WITH_BROWSER.includes(rung);
  const rule = RULES.find(({ when }) => when(came, hadBrowser));
  return rule && ladder.slice(ladder.indexOf(rung) + 1).find((kind) => rule.to.includes(kind));
}

/** One in so many looks whether a cheaper rung works again. */
const LOWER_EVERY = 20;

/** Where to begin: at the rung that won before, if the ladder has it, or now and then one lower. */
export function firstRung(
  ladder: readonly Kind[],
  { won, chance, credits }: { won: Kind | undefined; chance: number; credits: number },
): Kind | undefined {
  const at = won === undefined ? 0 : ladder.indexOf(won);
  const begin = Math.max(0, chance < 1 / LOWER_EVERY ? at - 1 : at);
  // The balance must pay for it.
  return ladder.slice(0, begin + 1).findLast((kind) => PRICES[kind] <= credits);
}

/** From the best. Errors come last. */
const RANKS: readonly string[] = [
  ...['page', 'missing', 'shell', 'login_wall', 'consent_wall', 'empty', 'payment_required', 'bot_wall'],
];
/** With a browser, such a page has more. */
const GROWING: readonly string[] = ['missing', 'shell'];

/** The best of what came: of equals the first, which is the cheapest, or the last where that has more. */
export function bestOf<C extends Came>(tried: readonly [C, ...C[]]): C {
  const rankOf = ({ what, status = 200, isComplete = false }: C) => {
    const rank = isComplete ? 0 : RANKS.indexOf(what);
    return rank < 0 ? RANKS.length : rank + (what === 'page' && status >= 400 ? 0.5 : 0);
  };
  return tried.reduce((best, each) => {
    const isBetter = rankOf(each) < rankOf(best);
    return isBetter || (rankOf(each) === rankOf(best) && GROWING.includes(each.what)) ? each : best;
  });
}
