import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import type { Page, RenderState } from '../../../shared/contract/scrape/page.ts';
import { stepCounts } from '../../../shared/contract/scrape/js-scenario.ts';
import { typedIn } from '../../../shared/domain/scrape/scenario/steps.ts';
import { AppError } from '../../../shared/errors.ts';
import type { MainFrame } from '../page/main-frame.ts';
import type { Network } from '../page/network.ts';
import type { LoadedPage } from '../readiness/settle.ts';
import { openScenarioContext } from './scenario-context.ts';
import { openReport, shownUrl } from './report.ts';
import { runScenario } from './run-scenario.ts';

/** The scenario of a request on its page. */
export type ScenarioRun = {
  /** `partial` if an instruction failed. Throws `scenario_failed` if the scenario is strict. */
  run: (signal: AbortSignal) => Promise<RenderState>;
  /** Adds the report, whatever the scrape came to. */
  withReport: (page: Page) => Page;
  reported: (fault: unknown) => unknown;
};

export function openScenarioRun(
  { jsScenario: wanted, waitUntil }: RenderRequest,
  { clock, activity, browser }: LoadedPage,
  network: Pick<Network, 'on'>,
  { expectNavigation, document }: Pick<MainFrame, 'expectNavigation' | 'document'>,
): ScenarioRun | undefined {
  if (!wanted) return undefined;
  const report = openReport(typedIn(wanted.instructions));
  const documentUrl = () => document()?.url ?? '';

  return {
    async run(signal) {
      const isVirtual = waitUntil === 'settled';
      const needs = { clock, activity, network, expectNavigation, documentUrl, signal, isVirtual };
      const { ok } = await runScenario(openScenarioContext(browser.tab, needs), wanted, report);
      return ok ? 'complete' : 'partial';
    },
    withReport: (page) => {
      // It led to this file, which ends the scenario.
      report.end({ status: 'ok', url: shownUrl(page.url) });
      return { ...page, report: report.soFar(), scenario: stepCounts(report.soFar()) };
    },
    reported: (fault) => {
      if (!(fault instanceof AppError) || fault.report) return fault;
      report.end({
        status: 'failed',
        url: shownUrl(documentUrl()),
        error: `the scrape ended: ${fault.code}`,
      });
      return fault.reporting(report.soFar());
    },
  };
}
