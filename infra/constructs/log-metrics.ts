import type { Stack } from 'aws-cdk-lib';
import { CfnInsightRule, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { NAMESPACE } from '../../shared/observe/metrics.ts';
import type { StageName } from '../stage-names.ts';
import { period, SUM } from './metric-math.ts';

/** Not the gateway's 5XXError, which includes 502 and 504 that report a target's failure. */
export function ownFaults(logGroup: LogGroup, stage: StageName): Metric {
  const filter = new MetricFilter(logGroup, 'OwnFaults', {
    logGroup,
    filterPattern: FilterPattern.any(
      FilterPattern.stringValue('$.status', '=', '500'),
      FilterPattern.stringValue('$.gateway_error', '=', 'INTEGRATION_TIMEOUT'),
    ),
    metricNamespace: NAMESPACE,
    metricName: 'OwnFaults',
    dimensions: { stage: '$.stage' },
  });
  return filter.metric({ ...SUM, dimensionsMap: { stage } });
}

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
