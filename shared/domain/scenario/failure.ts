import type { ScenarioReport } from '../../contract/js-scenario.ts';

/** Why a scenario failed, in words. */
export function failureOf({ steps }: ScenarioReport): string {
  const failed = steps.findLast(({ status }) => status === 'failed');
  if (!failed) return 'The scenario failed.';
  return `The scenario failed at ${failed.path} (${failed.step}): ${failed.error ?? 'unknown'}.`;
}
