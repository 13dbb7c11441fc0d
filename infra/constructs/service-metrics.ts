import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnInsightRule, type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { FunctionName } from '../../shared/config.ts';
import { FUNCTION_DIMENSION, type MetricName, metrics, NAMESPACE } from '../../shared/observe/metrics.ts';
import type { StageName } from '../stage-names.ts';
import { indexes, type StoredTable } from '../storage-stack.ts';

type Watched = {
  name: StageName;
  api: RestApi;
  accessLogs: LogGroup;
  functions: Readonly<Record<FunctionName, Function>>;
  queue: Queue;
  deadLetters: Queue;
  accounts: StoredTable;
  jobs: StoredTable;
};

const period = Duration.minutes(5);
const SUM = { statistic: Stats.SUM, period };
const p95 = { statistic: Stats.percentile(95), period };
/** Minimum of requests in five minutes for a rate to mean something. */
const ENOUGH = 20;

/** Every metric of alarms and dashboard, from AWS where possible. */
export function serviceMetrics({ name, api, accessLogs, functions, queue, deadLetters, ...tables }: Watched) {
  const stage = api.deploymentStage;
  const all = Object.values(functions);
  const own = (metric: MetricName, options?: OwnOptions) => ownMetric(functions, metric, options);
  const requests = stage.metricCount(SUM);
  const scrapes = own('ScrapeSucceeded', { statistic: Stats.SAMPLE_COUNT });
  return {
    requests,
    serverErrors: stage.metricServerError(SUM),
    latency: stage.metricLatency(p95),
    faultRate: percentage('FILL(faults, 0)', 'requests', { requests, faults: ownFaults(accessLogs, name) }),
    scrapes,
    failureRate: percentage('scrapes - pages', 'scrapes', { scrapes, pages: own('ScrapeSucceeded') }),
    queueAge: queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period }),
    queueDepth: queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period }),
    // The sweeper takes dead letters at once, so they are rarely visible in the queue.
    deadLetters: total('dead', [
      deadLetters.metricNumberOfMessagesReceived(SUM),
      deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period }),
    ]),
    settledLate: own('JobsSettledLate'),
    sweeps: new MathExpression({
      expression: 'begun - failed',
      usingMetrics: {
        begun: functions.sweeper.metricInvocations(SUM),
        failed: functions.sweeper.metricErrors(SUM),
      },
      period,
    }),
    browserCrashes: own('ScrapeFailed', { of: 'browser_crashed' }),
    browsers: functions.browser.metric('ConcurrentExecutions', { statistic: Stats.MAXIMUM, period }),
    blockedEgress: blockedEgress(functions, name),
    tmpFree: own('TmpFree', { statistic: Stats.MINIMUM }),
    throttles: total(
      'throttled',
      all.map((it) => it.metricThrottles(SUM)),
    ),
    browserThrottles: functions.browser.metricThrottles(SUM),
    browserFallback: own('BrowserFallback'),
    browserUnusable: own('BrowserUnusable'),
    chromiumAge: own('ChromiumAge', { statistic: Stats.MAXIMUM }),
    errors: total(
      'errors',
      all.map((it) => it.metricErrors(SUM)),
    ),
    tableThrottles: total(
      'tables',
      (['accounts', 'jobs'] as const).flatMap((table) => throttlesOf(tables[table], indexes[table])),
    ),
    creditsCharged: own('CreditsCharged'),
    creditsAnomalies: own('CreditsAnomalies'),
  } satisfies Record<string, Metric | MathExpression>;
}

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

type OwnOptions = { of?: string; statistic?: string };

/** A metric of the service over the functions that write it; `of` selects a value of its dimension. */
function ownMetric(
  functions: Watched['functions'],
  metricName: MetricName,
  { of: value, statistic = Stats.SUM }: OwnOptions = {},
): MathExpression {
  const { by, ...rest } = metrics[metricName];
  const further = 'dimension' in rest && value !== undefined ? { [rest.dimension]: value } : {};
  const parts = by.map((it) => {
    const dimensionsMap = { [FUNCTION_DIMENSION]: functions[it].functionName, ...further };
    return new Metric({ namespace: NAMESPACE, metricName, dimensionsMap, statistic, period });
  });
  return total(metricName.charAt(0).toLowerCase() + metricName.slice(1) + statistic, parts);
}

/** The sum of the metrics that have data. `id` must be unique per graph. */
function total(id: string, parts: IMetric[]): MathExpression {
  const usingMetrics = Object.fromEntries(parts.map((part, index) => [`${id}${index}`, part]));
  return new MathExpression({
    expression: `SUM([${Object.keys(usingMetrics).join()}])`,
    usingMetrics,
    period,
  });
}

function percentage(part: string, whole: string, usingMetrics: Record<string, IMetric>): MathExpression {
  const expression = `IF(${whole} >= ${ENOUGH}, 100 * (${part}) / ${whole}, 0)`;
  return new MathExpression({ expression, usingMetrics, period });
}

/** Throttled requests of a table and of its indexes, which often throttle first. */
function throttlesOf(table: StoredTable, names: readonly string[]): Metric[] {
  const dimensions = [{}, ...names.map((name) => ({ GlobalSecondaryIndexName: name }))];
  return dimensions.flatMap((index) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((events) =>
      table.metric(events, { ...SUM, dimensionsMap: { TableName: table.tableName, ...index } }),
    ),
  );
}

/** Not the gateway's 5XXError, which includes 502 and 504 that report a target's failure. */
function ownFaults(logGroup: LogGroup, stage: StageName): Metric {
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
function blockedEgress({ scraper, worker, jobs }: Watched['functions'], stage: StageName): MathExpression {
  const stack = Stack.of(scraper);
  const ruleName = `sitefetch-${stage}-blocked-egress`;
  new CfnInsightRule(stack, 'BlockedEgress', {
    ruleName,
    ruleState: 'ENABLED',
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/ContributorInsights-RuleSyntax.html
    ruleBody: stack.toJsonString({
      Schema: { Name: 'CloudWatchLogRule', Version: 1 },
      LogGroupNames: [scraper, worker, jobs].map((it) => it.logGroup.logGroupName),
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
