import { expect } from 'vitest';
import type { ScenarioReport } from '../../../shared/contract/scrape/js-scenario.ts';
import type { RenderAnswer } from '../../../shared/contract/scrape/messages.ts';
import type { ScenarioCase } from '../../fixtures/scenarios/scenario-case.ts';

/** The page shows what the scenario did, and the report says how each step went. */
export function expectDone(scenario: ScenarioCase, { outcome, report }: RenderAnswer, html: string): void {
  expectReport(scenario, report, html);
  expect(outcome).toBe('page');
}

export function expectReport(
  { shows, hides = [], results, statuses }: ScenarioCase,
  report: ScenarioReport | undefined,
  html: string,
): void {
  const steps = report?.steps ?? [];
  const wrong = steps.filter(({ status }, index) => status !== (statuses?.[index] ?? 'ok'));
  expect(wrong).toEqual([]);
  expect(report?.ok).toBe(true);
  const text = html.replaceAll('\r\n', '\n');
  for (const shown of shows) expect(text).toContain(shown);
  for (const hidden of hides) expect(text).not.toContain(hidden);
  if (results) expect(steps.flatMap(({ result }) => (result === undefined ? [] : [result]))).toEqual(results);
}
