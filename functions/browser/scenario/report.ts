import type { ScenarioReport, StepReport } from '../../../shared/contract/scrape/js-scenario.ts';

const MAX_URL = 500;
/** Shorter texts would hide too much of an error. */
const MIN_SECRET = 3;

type Begun = Pick<StepReport, 'index' | 'path' | 'step'>;

export type OpenReport = {
  begin: (step: Begun) => void;
  /** Ends the current step. */
  end: (rest: Omit<StepReport, keyof Begun | 'ms'>) => StepReport | undefined;
  /** The steps so far. */
  soFar: () => ScenarioReport;
  /** A text without what the scenario types into fields. */
  redacted: (text: string) => string;
};

export function openReport(typed: readonly string[]): OpenReport {
  const steps: StepReport[] = [];
  let open: (Begun & { at: number }) | undefined;
  const secrets = typed.filter((text) => text.length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  return {
    begin: (step) => void (open = { ...step, at: performance.now() }),
    end: (rest) => {
      if (!open) return undefined;
      const { at, ...step } = open;
      const entry = { ...step, ms: Math.round(performance.now() - at), ...rest };
      open = undefined;
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
