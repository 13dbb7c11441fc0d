import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ServiceMetrics } from './service-metrics.ts';

export type AlarmRule<Name> = AlarmLimit & { metric: Name };

export type AlarmLimit = {
  says: string;
  /** The section of the runbook, unless it is named after the alarm. */
  section?: string;
  /** Consecutive periods of five minutes. */
  periods: number;
  /** A construct of the stack that must exist before the alarm. */
  after?: string;
} & ({ above: number } | { below: number; missing?: TreatMissingData });

const MEBIBYTE = 2 ** 20;

/** Every alarm, named after its section in the runbook. */
export const alarmRules = {
  OwnFaults: {
    metric: 'faultRate',
    above: 1,
    periods: 2,
    says: 'More than 1 % of requests fail because of the service itself.',
  },
  FailingScrapes: {
    metric: 'failureRate',
    above: 50,
    periods: 3,
    says: 'More than half of all scrapes fail.',
  },
  SlowResponses: {
    metric: 'latency',
    above: 60_000,
    periods: 3,
    says: '5 % of responses take longer than a minute.',
  },
  QueueAge: {
    metric: 'queueAge',
    above: 600,
    periods: 1,
    says: 'A job has been waiting for ten minutes.',
  },
  DeadLetters: {
    metric: 'deadLetters',
    above: 0,
    periods: 1,
    says: 'A job could not be processed and reached the dead-letter queue.',
  },
  SettledLate: { metric: 'settledLate', above: 0, periods: 1, says: 'Jobs ended after their deadline.' },
  NoSweeps: {
    metric: 'sweeps',
    below: 1,
    missing: TreatMissingData.BREACHING,
    periods: 2,
    after: 'EveryMinute',
    says: 'The sweeper does not run, so stuck jobs and leaked slots are not repaired.',
  },
  NoticeAge: {
    metric: 'noticeAge',
    above: 600,
    periods: 1,
    says: 'An event for a webhook endpoint has been waiting for ten minutes.',
  },
  DeadNotices: {
    metric: 'deadNotices',
    above: 0,
    periods: 1,
    says: 'The notifier could not handle a message, which reached its dead-letter queue.',
  },
  BrowserCrashes: { metric: 'browserCrashes', above: 10, periods: 1, says: 'Browsers are crashing.' },
  BrowserFallback: {
    metric: 'browserFallback',
    above: 0,
    periods: 1,
    says: 'Chromium does not start with the configured number of processes and fell back.',
    section: 'chromium-does-not-start',
  },
  BrowserUnusable: {
    metric: 'browserUnusable',
    above: 0,
    periods: 1,
    says: 'Chromium does not start.',
    section: 'chromium-does-not-start',
  },
  ChromiumAge: {
    metric: 'chromiumAge',
    above: 90,
    periods: 1,
    says: 'Chromium is older than 90 days, so its vulnerabilities are public.',
  },
  BlockedEgress: {
    metric: 'blockedEgress',
    above: 100,
    periods: 1,
    says: 'One organization keeps requesting private addresses.',
    // Its metric is the rule's, which it names.
    after: 'BlockedEgress',
  },
  TmpLow: {
    metric: 'tmpFree',
    below: 256 * MEBIBYTE,
    periods: 1,
    says: 'A browser function is running out of space in /tmp.',
  },
  Throttles: { metric: 'throttles', above: 10, periods: 2, says: 'Lambda is throttling invocations.' },
  BrowserThrottles: {
    metric: 'browserThrottles',
    above: 10,
    periods: 1,
    says: 'Lambda is throttling the browser function.',
  },
  RecursiveInvocations: {
    metric: 'recursionsDropped',
    above: 0,
    periods: 1,
    says: 'Lambda is ending chains of invocations as loops, so jobs or events wait for a sweep.',
  },
  TableThrottles: {
    metric: 'tableThrottles',
    above: 10,
    periods: 2,
    says: 'DynamoDB is throttling requests to accounts, activity or webhooks.',
  },
  JobTableThrottles: {
    metric: 'jobThrottles',
    above: 10,
    periods: 2,
    says: 'DynamoDB is throttling requests to jobs.',
  },
  CreditsAnomalies: {
    metric: 'creditsAnomalies',
    above: 0,
    periods: 1,
    says: 'The credits of an organization do not add up.',
  },
} as const satisfies Record<string, AlarmRule<keyof ServiceMetrics>>;

/** `OwnFaults` becomes `own-faults`, the anchor of "Own faults". */
export const sectionOf = (name: string) => name.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
