import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { StageName } from '../stage-names.ts';
import type { ServiceMetrics } from './service-metrics.ts';

type Rule = {
  metric: IMetric;
  /** Its meaning, for the mail. */
  says: string;
  /** The section of the runbook, unless it is named after the alarm. */
  section?: string;
  /** Consecutive periods of five minutes. */
  periods: number;
} & ({ above: number } | { below: number; missing?: TreatMissingData });

const MEBIBYTE = 2 ** 20;

/** Every alarm, named after its section in the runbook. */
const rulesOn = (it: ServiceMetrics) =>
  ({
    OwnFaults: {
      metric: it.faultRate,
      above: 1,
      periods: 2,
      says: 'More than 1 % of requests fail because of the service itself.',
    },
    FailingScrapes: {
      metric: it.failureRate,
      above: 50,
      periods: 3,
      says: 'More than half of all scrapes fail.',
    },
    SlowAnswers: {
      metric: it.latency,
      above: 60_000,
      periods: 3,
      says: '5 % of responses take longer than a minute.',
    },
    QueueAge: {
      metric: it.queueAge,
      above: 600,
      periods: 1,
      says: 'A job has been waiting for ten minutes.',
    },
    DeadLetters: {
      metric: it.deadLetters,
      above: 0,
      periods: 1,
      says: 'A job could not be processed and reached the dead-letter queue.',
    },
    SettledLate: { metric: it.settledLate, above: 0, periods: 1, says: 'Jobs ended after their deadline.' },
    NoSweeps: {
      metric: it.sweeps,
      below: 1,
      missing: TreatMissingData.BREACHING,
      periods: 2,
      says: 'The sweeper does not run, so stuck jobs and leaked slots are not repaired.',
    },
    BrowserCrashes: { metric: it.browserCrashes, above: 10, periods: 1, says: 'Browsers are crashing.' },
    BrowserFallback: {
      metric: it.browserFallback,
      above: 0,
      periods: 1,
      says: 'Chromium does not start with the configured number of processes and fell back.',
      section: 'chromium-does-not-start',
    },
    BrowserUnusable: {
      metric: it.browserUnusable,
      above: 0,
      periods: 1,
      says: 'Chromium does not start.',
      section: 'chromium-does-not-start',
    },
    ChromiumAge: {
      metric: it.chromiumAge,
      above: 90,
      periods: 1,
      says: 'Chromium is older than 90 days, so its vulnerabilities are public.',
    },
    BlockedEgress: {
      metric: it.blockedEgress,
      above: 100,
      periods: 1,
      says: 'One organization keeps requesting private addresses.',
    },
    TmpLow: {
      metric: it.tmpFree,
      below: 256 * MEBIBYTE,
      periods: 1,
      says: 'A browser function is running out of space in /tmp.',
    },
    Throttles: { metric: it.throttles, above: 10, periods: 2, says: 'Lambda is throttling invocations.' },
    BrowserThrottles: {
      metric: it.browserThrottles,
      above: 10,
      periods: 1,
      says: 'Lambda is throttling the browser function.',
    },
    TableThrottles: {
      metric: it.tableThrottles,
      above: 10,
      periods: 2,
      says: 'DynamoDB is throttling requests.',
    },
    CreditsAnomalies: {
      metric: it.creditsAnomalies,
      above: 0,
      periods: 1,
      says: 'The credits of an organization do not add up.',
    },
  }) satisfies Record<string, Rule>;

/** Creates the alarms, mailed if there is an address. Returns their names. */
export function alarms(
  scope: Construct,
  stage: StageName,
  watched: ServiceMetrics,
  email?: string,
): string[] {
  const home = new Construct(scope, 'Alarms');
  const action = email === undefined ? undefined : mailTo(home, email);
  return Object.entries<Rule>(rulesOn(watched)).map(([name, rule]) => {
    // The name is the subject of the mail.
    const alarmName = `sitefetch-${stage}-${name}`;
    const alarm = new Alarm(home, name, { alarmName, ...alarmOf(name, rule) });
    if (action) alarm.addAlarmAction(action);
    if (action) alarm.addOkAction(action);
    return alarmName;
  });
}

function alarmOf(
  name: string,
  { metric, periods, says, section = sectionOf(name), ...limit }: Rule,
): AlarmProps {
  const { GREATER_THAN_THRESHOLD, LESS_THAN_THRESHOLD } = ComparisonOperator;
  const isAbove = 'above' in limit;
  return {
    metric,
    alarmDescription: `${says} See docs/runbook.md#${section}`,
    threshold: isAbove ? limit.above : limit.below,
    comparisonOperator: isAbove ? GREATER_THAN_THRESHOLD : LESS_THAN_THRESHOLD,
    evaluationPeriods: periods,
    treatMissingData: (!isAbove && limit.missing) || TreatMissingData.NOT_BREACHING,
  };
}

/** `OwnFaults` becomes `own-faults`, the anchor of "Own faults". */
const sectionOf = (name: string) => name.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase();

function mailTo(scope: Construct, email: string): SnsAction {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  // enforceSSL replaces the default policy, which lets the account's alarms publish.
  // https://repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
  topic.addSubscription(new EmailSubscription(email));
  return new SnsAction(topic);
}
