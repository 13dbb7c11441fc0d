import type { ScenarioReport, StepReport } from '../../../shared/contract/js-scenario.ts';

const MAX_URL = 500;
/** Shorter texts would hide too much of an error. */
const MIN_SECRET = 3;

export type OpenReport = {
  add: (entry: StepReport) => StepReport;
  /** The steps so far. */
  soFar: () => ScenarioReport;
  /** A text without what the scenario types into fields. */
  redacted: (text: string) => string;
};

export function openReport(typed: readonly string[]): OpenReport {
  const steps: StepReport[] = [];
  const secrets = typed.filter((text) => text.length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  return {
    add: (entry) => {
      steps.push(entry);
      return entry;
    },
    soFar: () => ({ ok: steps.every(({ status }) => status !== 'failed'), steps: [...steps] }),
    redacted: (text) => secrets.reduce((kept, secret) => kept.replaceAll(secret, '***'), text),
  };
}

/** A URL as a report may show it: its query may have what was typed into a form. */
export function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return '';
  return (url.origin === 'null' ? (url.href.split(/[?#]/)[0] ?? '') : `${url.origin}${url.pathname}`).slice(
    0,
    MAX_URL,
  );
}
