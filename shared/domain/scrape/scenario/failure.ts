import type { ScenarioReport } from '../../../contract/scrape/js-scenario.ts';
import type { Page } from '../../../contract/scrape/page.ts';
import type { PageVerdict } from '../../../contract/scrape/verdict.ts';

type Fields = Readonly<Record<string, string | number>>;

/**
 * Where a scenario failed, as fields of its error: what the target said of that page. A URL that was not
 * requested is without its query, where a form puts what was typed.
 */
export function whereFailed(
  { status, url }: Pick<Page, 'status' | 'url'>,
  { kind, by }: PageVerdict,
  requested: string,
): Fields {
  const shown = url === requested ? url : withoutQuery(url);
  return { target_status: status, target_url: shown, verdict: kind, ...(by && { verdict_by: by }) };
}

function withoutQuery(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

/** Why a scenario failed, in words. A page that explains it comes first. */
export function failureOf({ steps }: ScenarioReport, where: Fields = {}): string {
  const failed = steps.findLast(({ status }) => status === 'failed');
  const step = failed && ` at ${failed.path} (${failed.step}): ${failed.error ?? 'unknown'}`;
  return `${wordsFor(where)}The scenario failed${step ?? ''}.`;
}

const WALLS: Readonly<Record<string, string>> = {
  bot_wall: 'a bot wall',
  login_wall: 'a login wall',
  consent_wall: 'a consent wall',
  payment_required: 'a demand for payment',
};

function wordsFor({ target_status: status, verdict = '', verdict_by: by }: Fields): string {
  const wall = WALLS[verdict];
  const isOk = status === undefined || (Number(status) >= 200 && Number(status) < 300);
  if (isOk && wall === undefined) return '';
  const maker = by === undefined ? '' : ` (${by})`;
  return `The target answered with status ${status}${wall ? `, and the page is ${wall}${maker}` : ''}. `;
}
