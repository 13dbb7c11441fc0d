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
  /** What it means, in the mail that it sends. */
  says: string;
  /** The section of the runbook, where it is not named after the alarm. */
  section?: string;
  /** Periods of five minutes in a row. */
  periods: number;
} & ({ above: number } | { below: number; missing?: TreatMissingData });

const MEBIBYTE = 2 ** 20;

/** Every alarm, under the name of its section in the runbook. */
const rulesOn = (it: ServiceMetrics) =>
  ({
    OwnFaults: {
      metric: it.faultRate,
      above: 1,
      periods: 2,
      says: 'More than 1 % of requests end in a fault of ours.',
    },
    FailingScrapes: {
      metric: it.failureRate,
      above: 50,
      periods: 3,
      says: 'More than half of all scrapes fail.',
    },
    SlowAnswers: { metric: it.latency, above: 60_000, periods: 3, says: 'One answer in 20 takes a minute.' },
    QueueAge: { metric: it.queueAge, above: 600, periods: 1, says: 'A job has waited for ten minutes.' },
    DeadLetters: { metric: it.deadLetters, above: 0, periods: 1, says: 'A message could not be handled.' },
    SettledLate: { metric: it.settledLate, above: 0, periods: 1, says: 'Jobs ended by their deadline.' },
    NoSweeps: {
      metric: it.sweeps,
      below: 1,
      missing: TreatMissingData.BREACHING,
      periods: 2,
      says: 'Nothing repairs jobs and slots: no sweep succeeds.',
    },
    BrowserCrashes: { metric: it.browserCrashes, above: 10, periods: 1, says: 'Browsers crash.' },
    BrowserFallback: {
      metric: it.browserFallback,
      above: 0,
      periods: 1,
      says: 'Chromium does not start as the stage says, but the other way.',
      section: 'chromium-does-not-start',
    },
    BrowserUnusable: {
      metric: it.browserUnusable,
      above: 0,
      periods: 1,
      says: 'Chromium starts in no way.',
      section: 'chromium-does-not-start',
    },
    ChromiumAge: {
      metric: it.chromiumAge,
      above: 90,
      periods: 1,
      says: 'Chromium is older than 90 days, and what is known against it is public.',
    },
    BlockedEgress: {
      metric: it.blockedEgress,
      above: 100,
      periods: 1,
      says: 'One organization keeps asking for private addresses.',
    },
    TmpLow: { metric: it.tmpFree, below: 256 * MEBIBYTE, periods: 1, says: 'A browser leaves files behind.' },
    Throttles: { metric: it.throttles, above: 10, periods: 2, says: 'Lambda turns calls away.' },
    BrowserThrottles: {
      metric: it.browserThrottles,
      above: 10,
      periods: 1,
      says: 'Lambda starts no more browsers.',
    },
    TableThrottles: { metric: it.tableThrottles, above: 10, periods: 2, says: 'DynamoDB turns calls away.' },
    CreditsAnomalies: { metric: it.creditsAnomalies, above: 0, periods: 1, says: 'Credits do not add up.' },
  }) satisfies Record<string, Rule>;

/** Raises the alarms, and writes to somebody when there is an address. Gives their names. */
export function alarms(
  scope: Construct,
  stage: StageName,
  watched: ServiceMetrics,
  email?: string,
): string[] {
  const home = new Construct(scope, 'Alarms');
  const action = email === undefined ? undefined : mailTo(home, email);
  return Object.entries<Rule>(rulesOn(watched)).map(([name, rule]) => {
    // Named, as this is the subject of the mail.
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
    alarmDescription: `${says} What to do: docs/runbook.md#${section}`,
    threshold: isAbove ? limit.above : limit.below,
    comparisonOperator: isAbove ? GREATER_THAN_THRESHOLD : LESS_THAN_THRESHOLD,
    evaluationPeriods: periods,
    treatMissingData: (!isAbove && limit.missing) || TreatMissingData.NOT_BREACHING,
  };
}

/** `OwnFaults` is explained under the heading "Own faults". */
const sectionOf = (name: string) => name.replaceAll(/(?<!^)[A-Z]/g, '-$&').toLowerCase();

function mailTo(scope: Construct, email: string): SnsAction {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  // A policy of its own takes the place of the default one, by which alarms of the account may publish.
  // https://repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
  topic.addSubscription(new EmailSubscription(email));
  return new SnsAction(topic);
}
