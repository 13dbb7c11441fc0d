import { extractionCredits } from '../../contract/scrape/extract-schema.ts';
import { hasRequired } from '../../contract/scrape/extract-rules.ts';
import { howOf, type Kind, PRICES, triedText } from '../../contract/scrape/mode.ts';
import type { Page } from '../../contract/scrape/page.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { bestOf, type Came, firstRung, ladderOf, nextRung } from '../../domain/scrape/ladder.ts';
import { isScriptChallenge, isScriptShell } from '../../domain/scrape/verdict/script-shell.ts';
import { jitter } from '../../domain/work/jitter.ts';
import { AppError, type ErrorCode, toAppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import { type Judged, judgedPage, requestedParts } from './judged-page.ts';
import { isUnread } from './model-values.ts';
import type { ShapeNeeds } from './shape-page.ts';

export type LadderNeeds = Pick<Effects, 'fetchPage' | 'renderPage' | 'ladderMemory'> & ShapeNeeds;

/** A rung that was tried: the page as it came, perhaps with what is requested of it, or an error. */
type Tried = Came & { rung: Kind } & ({ page: Judged; parts?: Page } | { page?: undefined; error: AppError });

/**
 * The page of the cheapest rung that has what is requested, or else the best that came, with its rung. Throws
 * the best error if no page came. Every rung is in `mode_tried`.
 */
export async function climbLadder(
  fx: LadderNeeds,
  request: ScrapeRequest,
  context: ScrapeContext,
): Promise<Page> {
  const { orgId, scrapeId, signal, heldCredits = Infinity } = context;
  const { hostname: host } = new URL(request.url);
  const ladder = ladderOf(request);
  const credits = heldCredits - extractionCredits(request);
  // Without the memory, the ladder is climbed again.
  const won = await fx.ladderMemory.find(orgId, host, fx.now()).catch(() => undefined);
  const tried: Tried[] = [];
  let rung = firstRung(ladder, { won, chance: jitter(scrapeId, 0), credits });
  while (rung !== undefined && PRICES[rung] <= credits) {
    const came: Tried = await tryRung(fx, rung, request, context);
    tried.push(came);
    rung = signal.aborted ? undefined : nextRung(rung, came, ladder);
  }
  const [first, ...others] = tried;
  if (first === undefined) throw new AppError('cost_cap_exceeded');
  const best = bestOf([first, ...others]);
  const modeTried = triedText(tried, { unpaid: rung });
  const page = await partsOf(fx, best, request, context).catch((fault: unknown) => {
    throw withTried(toAppError(fault), modeTried);
  });
  if (best.what === 'page' && best.rung !== (won ?? ladder[0]))
    await fx.ladderMemory.keep(orgId, host, best.rung, fx.now()).catch(() => undefined);
  return { ...page, rung: best.rung, modeTried };
}

/** Errors that say something of the target. With others, the scrape ends at once. */
const OF_TARGET: readonly ErrorCode[] = [
  ...(['connect_failed', 'tls_failed', 'bad_upstream_response', 'dns_failed', 'too_many_redirects'] as const),
  ...(['response_too_large', 'browser_crashed', 'proxy_failed', 'timeout'] as const),
];

async function tryRung(
  fx: LadderNeeds,
  rung: Kind,
  auto: ScrapeRequest,
  context: ScrapeContext,
): Promise<Tried> {
  const request = { ...auto, ...howOf(rung) };
  try {
    const page = await judgedPage(fx, request, context);
    const seen = { rung, page, status: page.status };
    const what = await whatCame(fx, request, page, context);
    const isSparse = mayBeComplete(request, page);
    if ((what !== 'page' && !isSparse) || isUnread(request, page))
      return { ...seen, what, isChallenge: what === 'bot_wall' && isScriptChallenge(page) };
    return { ...seen, what, isComplete: isSparse, parts: await requestedParts(fx, request, page, context) };
  } catch (fault) {
    const error = toAppError(fault);
    if (isMissing(error)) return { rung, what: 'missing', error };
    if (!OF_TARGET.includes(error.code)) throw error;
    return { rung, what: error.code, error };
  }
}

/** What a browser leaves of an `empty` page, such as two words, may be all that the caller requires. */
const mayBeComplete = ({ renderJs, extractRules }: ScrapeRequest, { verdict, status }: Judged) =>
  renderJs && verdict.kind === 'empty' && status < 400 && hasRequired(extractRules);

/** A rule with `required` has found nothing. */
const isMissing = ({ code, fields }: AppError) =>
  code === 'not_convertible' && fields['reason'] === 'required';

/** The verdict of a page, unless it needs scripts, or lacks what is waited for. */
async function whatCame(
  { convert }: Pick<Effects, 'convert'>,
  { waitFor, includeSelectors = [], renderJs: isRendered }: ScrapeRequest,
  page: Judged,
  context: ScrapeContext,
): Promise<string> {
  const { verdict, body, contentType, url } = page;
  if (verdict.kind !== 'page') return verdict.kind;
  if (!isRendered && isScriptShell(page)) return 'shell';
  const awaited = [waitFor ?? [], includeSelectors.join() || []].flat();
  if (awaited.length === 0) return 'page';
  const conversion = { body, contentType, url, isRendered, awaited, outputs: [], scope: 'full' } as const;
  const { hasMatch } = await convert(conversion, context).catch(asUnread);
  return hasMatch ? 'page' : 'missing';
}

/** What is no HTML, or too large to be read, has nothing to be waited for. */
function asUnread(fault: unknown): { hasMatch: boolean } {
  if (toAppError(fault).code !== 'not_convertible') throw fault;
  return { hasMatch: true };
}

async function partsOf(
  fx: LadderNeeds,
  best: Tried,
  auto: ScrapeRequest,
  context: ScrapeContext,
): Promise<Page> {
  if (best.page === undefined) throw best.error;
  return (
    best.parts ??
    requestedParts(fx, { ...auto, ...howOf(best.rung) }, best.page, { ...context, isFallback: true })
  );
}

function withTried(error: AppError, modeTried: string): AppError {
  const { message, fields, report } = error;
  return error.telling({ message, report, fields: { ...fields, mode_tried: modeTried } });
}
