import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { StageName } from '../stage-names.ts';
import { type AlarmLimit, type AlarmRule, sectionOf } from './alarm-rules.ts';
import { alarmable } from './metric-math.ts';

/**
 * Creates the alarms, mailed if there is an address, and several of a sum that is too long for one. Returns
 * their names.
 */
export function alarms<Name extends string>(
  scope: Construct,
  stage: StageName,
  {
    rules,
    watched,
  }: { rules: Readonly<Record<string, AlarmRule<Name>>>; watched: Readonly<Record<Name, IMetric>> },
  email?: string,
): string[] {
  const home = new Construct(scope, 'Alarms');
  const action = email === undefined ? undefined : mailTo(home, email);
  return Object.entries(rules).flatMap(([name, rule]) =>
    alarmable(watched[rule.metric]).map((metric, index) => {
      const id = index === 0 ? name : `${name}${index + 1}`;
      // The name is the subject of the mail.
      const alarmName = `sitefetch-${stage}-${id}`;
      const alarm = new Alarm(home, id, { alarmName, ...alarmOf(name, metric, rule) });
      if (action) alarm.addAlarmAction(action);
      if (action) alarm.addOkAction(action);
      if (rule.after !== undefined) alarm.node.addDependency(scope.node.findChild(rule.after));
      return alarmName;
    }),
  );
}

function alarmOf(
  name: string,
  metric: IMetric,
  { periods, says, section = sectionOf(name), ...limit }: AlarmLimit,
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

function mailTo(scope: Construct, email: string): SnsAction {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  // enforceSSL replaces the default policy, which lets the account's alarms publish.
  // https://repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
  topic.addSubscription(new EmailSubscription(email));
  return new SnsAction(topic);
}
