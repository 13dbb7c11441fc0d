import type { Stack } from 'aws-cdk-lib';
import { CfnInsightRule, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { StageName } from '../stage-names.ts';
import { period } from './metric-math.ts';

/** Blocked requests of the top organization, from the log: a metric per organization would be expensive. */
export function blockedEgress(writers: readonly Function[], stack: Stack, stage: StageName): MathExpression {
  const ruleName = `sitefetch-${stage}-blocked-egress`;
  new CfnInsightRule(stack, 'BlockedEgress', {
    ruleName,
    ruleState: 'ENABLED',
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/ContributorInsights-RuleSyntax.html
    ruleBody: stack.toJsonString({
      Schema: { Name: 'CloudWatchLogRule', Version: 1 },
      LogGroupNames: writers.map((it) => it.logGroup.logGroupName),
      LogFormat: 'JSON',
      Contribution: { Keys: ['$.org_id'], Filters: [{ Match: '$.code', In: ['url_not_allowed'] }] },
      AggregateOn: 'Count',
    }),
  });
  return new MathExpression({
    expression: `INSIGHT_RULE_METRIC("${ruleName}", "MaxContributorValue")`,
    usingMetrics: {},
    period,
  });
}
