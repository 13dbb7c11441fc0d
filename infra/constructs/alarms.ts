import { Stack } from 'aws-cdk-lib';
import { Alarm, type AlarmProps, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { StageName } from '../stage-names.ts';
import { type AlarmRule, alarmRules } from './alarm-rules.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** Creates the alarms, mailed if there is an address. Returns their names. */
export function alarms(
  scope: Construct,
  stage: StageName,
  watched: ServiceMetrics,
  email?: string,
): string[] {
  const home = new Construct(scope, 'Alarms');
  const action = email === undefined ? undefined : mailTo(home, email);
  return Object.entries<AlarmRule>(alarmRules).map(([name, rule]) => {
    // The name is the subject of the mail.
    const alarmName = `sitefetch-${stage}-${name}`;
    const alarm = new Alarm(home, name, { alarmName, ...alarmOf(name, watched, rule) });
    if (action) alarm.addAlarmAction(action);
    if (action) alarm.addOkAction(action);
    return alarmName;
  });
}

function alarmOf(
  name: string,
  watched: ServiceMetrics,
  { metric, periods, says, section = sectionOf(name), ...limit }: AlarmRule,
): AlarmProps {
  const { GREATER_THAN_THRESHOLD, LESS_THAN_THRESHOLD } = ComparisonOperator;
  const isAbove = 'above' in limit;
  return {
    metric: watched[metric],
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
