import type { FunctionName } from '../config.ts';

export const NAMESPACE = 'Sitefetch';

/** The deployed function name, unique across stages. Powertools calls it `service`: https://docs.aws.amazon.com/powertools/typescript/latest/features/metrics/ */
export const FUNCTION_DIMENSION = 'service';

type Metric = {
  unit: 'Count' | 'Bytes';
  by: readonly FunctionName[];
  /** One more dimension with few values: CloudWatch bills each combination. */
  dimension?: string;
};

/** Organizations are no dimension because there may be thousands; the request log has them. */
export const metrics = {
  /** 1 when a scrape or attempt ends with a page, 0 when with an error. */
  ScrapeSucceeded: { unit: 'Count', by: ['scraper', 'worker'] },
  ScrapeFailed: { unit: 'Count', by: ['scraper', 'worker'], dimension: 'code' },
  CreditsCharged: { unit: 'Count', by: ['scraper', 'worker', 'sweeper'] },
  /** Usage had a negative number, or a slot expired unsettled. */
  CreditsAnomalies: { unit: 'Count', by: ['scraper', 'jobs', 'worker', 'sweeper'] },
  /** A job ended after its deadline, or because of it. */
  JobsSettledLate: { unit: 'Count', by: ['worker', 'sweeper'] },
  /** 1 when an attempt to deliver an event was confirmed, else 0. */
  DeliverySucceeded: { unit: 'Count', by: ['notifier'] },
  /** The notifier disabled an endpoint. */
  WebhooksDisabled: { unit: 'Count', by: ['notifier'] },
  ChromiumAge: { unit: 'Count', by: ['sweeper'] },
  TmpFree: { unit: 'Bytes', by: ['browser'] },
  /** Chromium did not start in the configured process model, but in the other. */
  BrowserFallback: { unit: 'Count', by: ['browser'] },
  BrowserUnusable: { unit: 'Count', by: ['browser'] },
  /** A form began an account. */
  SignUps: { unit: 'Count', by: ['dashboard'] },
  SignInsRefused: { unit: 'Count', by: ['dashboard'] },
  /** Codes that Cognito has mailed on request. */
  CodesMailed: { unit: 'Count', by: ['dashboard'] },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;
