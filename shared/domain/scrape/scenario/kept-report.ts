import type { ScenarioReport } from '../../../contract/scrape/js-scenario.ts';

/** An item holds 400 KB. Of a long scenario, the last steps say why it failed. */
const MAX_STEPS = 100;

/** A report as a job keeps it: short, and without pictures and results, which may be secrets of the page. */
export function keptReport({ ok, steps }: ScenarioReport): ScenarioReport {
  const omitted = Math.max(0, steps.length - MAX_STEPS);
  return {
    ok,
    ...(omitted > 0 && { omitted }),
    steps: steps.slice(-MAX_STEPS).map(({ result: _result, screenshot: _screenshot, ...step }) => step),
  };
}
