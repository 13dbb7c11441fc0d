import type { FunctionName } from '../config.ts';

/** Where CloudWatch keeps the metrics that functions write. */
export const NAMESPACE = 'Sitefetch';

/**
 * The dimension that every metric has: the deployed name of the function that wrote it (`AWS_LAMBDA_FUNCTION_NAME`),
 * which no other stage in the account shares. Powertools calls it `service`.
 * https://docs.aws.amazon.com/powertools/typescript/latest/features/metrics/
 */
export const FUNCTION_DIMENSION = 'service';

type Metric = {
  unit: 'Count' | 'Bytes';
  /** The functions that write it. */
  by: readonly FunctionName[];
  /** One more dimension, of few values: each combination is billed as a metric. */
  dimension?: string;
};

/**
 * What functions count in CloudWatch's embedded metric format, beside what AWS counts by itself. No organization is a
 * dimension: there may be thousands. What is to be told per organization is read from the request log.
 */
export const metrics = {
  /** 1 when a scrape or an attempt of a job ended with a page, 0 when with an error: so there is always a number of both. */
  ScrapeSucceeded: { unit: 'Count', by: ['scraper', 'worker'] },
  /** 1 when it ended with an error, by the error's code. */
  ScrapeFailed: { unit: 'Count', by: ['scraper', 'worker'], dimension: 'code' },
  /** Credits that were settled. */
  CreditsCharged: { unit: 'Count', by: ['scraper', 'worker', 'sweeper'] },
  /** A usage was read in which a number is negative, or a slot was freed because its time was over: nobody settled it. */
  CreditsAnomalies: { unit: 'Count', by: ['scraper', 'jobs', 'worker', 'sweeper'] },
  /** A job ended after its deadline, or because of it. */
  JobsSettledLate: { unit: 'Count', by: ['worker', 'sweeper'] },
  /** Days since the Chromium that is deployed was published, with every sweep. */
  ChromiumAge: { unit: 'Count', by: ['sweeper'] },
  /** What is left in /tmp when a scrape is over. */
  TmpFree: { unit: 'Bytes', by: ['browser'] },
  /** An environment renders in the other number of processes, for Chromium did not start in the one that was set. */
  BrowserFallback: { unit: 'Count', by: ['browser'] },
  /** An environment cannot render at all. */
  BrowserUnusable: { unit: 'Count', by: ['browser'] },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;
