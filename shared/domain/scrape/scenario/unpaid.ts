import type { Page } from '../../../contract/scrape/page.ts';
import type { JsScenario, ScenarioReport, StepReport } from '../../../contract/scrape/js-scenario.ts';
import { everyIn } from '../../../contract/scrape/scenario.ts';
import type { ScrapeRequest } from '../../../contract/scrape/scrape-request.ts';
import { AppError } from '../../../errors.ts';
import { failureOf } from './failure.ts';

type Asked = Pick<ScrapeRequest, 'url'>;

/** Steps that change what a page shows. */
const CHANGING: readonly string[] = ['evaluate', 'remove'];
const MAX_URL = 200;

const hasRun = (report: ScenarioReport | undefined, ...actions: readonly string[]): boolean =>
  report?.steps.some(({ step }) => actions.includes(step)) ?? false;

/** Whether a scenario has an instruction that does. */
export const changesPages = (scenario: JsScenario | undefined): boolean =>
  everyIn(scenario?.instructions ?? []).some(({ evaluate, remove }) => (evaluate ?? remove) !== undefined);

/** Whether the scenario may have changed its page, which then no longer shows what was sent. */
export const isChanged = (report: ScenarioReport | undefined): boolean => hasRun(report, ...CHANGING);

/** An uncharged page alone, without anything from earlier pages or from scripts. */
export function unpaidPage(page: Page, asked: Asked): Page {
  const { report, captured: _captured, pictures, ...rest } = page;
  if (!report) return { ...rest, ...(pictures && { pictures }) };
  return {
    ...rest,
    url: unpaidUrl(page.url, asked, report),
    report: unpaidReport(report, asked),
    ...(pictures && !isChanged(report) && { pictures }),
  };
}

/** An error, which is never charged, without what its scenario took from the page. */
export function unpaidError(fault: unknown, asked: Asked): unknown {
  if (!(fault instanceof AppError) || !fault.report) return fault;
  const whole = fault.report as ScenarioReport;
  const report = unpaidReport(whole, asked);
  if (fault.code === 'scenario_failed') {
    const { target_url: url, ...rest } = fault.fields;
    const fields = {
      ...rest,
      ...(url !== undefined && { target_url: unpaidUrl(String(url), asked, whole) }),
    };
    return fault.telling({ report, message: failureOf(report, fields), fields });
  }
  // The URL of a refused redirect may be a script's.
  const message = fault.code === 'url_not_allowed' && hasRun(whole, 'evaluate') ? undefined : fault.message;
  return fault.telling({ report, message });
}

/** How the steps went, without results, pictures and words of the page. Scripts may put those into URLs. */
export function unpaidReport({ steps, ...rest }: ScenarioReport, { url: requested }: Asked): ScenarioReport {
  const known = new Set([withoutQuery(requested)]);
  let isScripted = false;
  const unpaid = steps.map(({ result: _result, screenshot: _screenshot, opened, ...step }): StepReport => {
    isScripted ||= step.step === 'evaluate';
    if (!isScripted) known.add(step.url);
    return {
      ...step,
      url: known.has(step.url) ? step.url : (URL.parse(step.url)?.origin ?? ''),
      ...(step.error !== undefined && { error: unpaidWords(step.error) }),
      ...(opened && !isScripted && { opened }),
    };
  });
  return { ...rest, steps: unpaid };
}

const THREW = /^the script threw (?:((?:Eval|Range|Reference|Syntax|Type|URI|Aggregate)?Error)\b)?/;

/** What a script throws may be the page. */
function unpaidWords(error: string): string {
  const [threw, kind = 'something'] = THREW.exec(error) ?? [];
  if (threw === undefined) return error;
  return `the script threw ${kind}, whose message is only in the report of a page that is charged`;
}

/** The last document's URL, as far as it may be shown: a script may have put data of another page in it. */
function unpaidUrl(url: string, { url: requested }: Asked, report: ScenarioReport): string {
  if (url === requested || !hasRun(report, 'evaluate')) return url;
  return withoutQuery(url).slice(0, MAX_URL);
}

function withoutQuery(text: string): string {
  const { origin, pathname } = URL.parse(text) ?? { origin: '', pathname: text };
  return `${origin}${pathname}`;
}
