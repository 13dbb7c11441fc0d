import { Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { MathExpression, type Metric, Stats, CfnInsightRule } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { type LogGroup, FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { ApiFunctionName } from '../../shared/config.ts';
import type { StageName } from '../stage-names.ts';
import { NAMESPACE } from '../../shared/observe/metrics.ts';
import { indexes, type StoredTable } from './tables.ts';
import { MAXIMUM, percentage, period, SUM, total } from './metric-math.ts';
import { ownMetric } from './own-metric.ts';

/** All functions of the API. A stage may have no model. */
export type ServiceFunctions = Readonly<
  Record<Exclude<ApiFunctionName, 'model'>, Function> & Partial<Record<'model', Function>>
>;

type Watched = {
  name: StageName;
  api: RestApi;
  accessLogs: LogGroup;
  functions: ServiceFunctions;
  queue: Queue;
  deadLetters: Queue;
  notices: Queue;
  deadNotices: Queue;
  accounts: StoredTable;
  jobs: StoredTable;
  activity: StoredTable;
  webhooks: StoredTable;
};

const p95 = { statistic: Stats.percentile(95), period };

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

/** Every metric of alarms and dashboard, from AWS where possible. */
export const serviceMetrics = (it: Watched) =>
  ({
    ...ofRequests(it),
    ...ofScrapes(it),
    ...ofJobs(it),
    ...ofWebhooks(it),
    ...ofFunctions(it),
    ...ofTables(it),
  }) satisfies Record<string, Metric | MathExpression>;

function ofRequests({ name, api: { deploymentStage: stage }, accessLogs }: Watched) {
  const requests = stage.metricCount(SUM);
  return {
    requests,
    serverErrors: stage.metricServerError(SUM),
    latency: stage.metricLatency(p95),
    faultRate: percentage('FILL(faults, 0)', 'requests', { requests, faults: ownFaults(accessLogs, name) }),
  };
}

function ofScrapes({ name, functions }: Watched) {
  const { scraper, worker, jobs } = functions;
  const scrapes = ownMetric(functions, 'ScrapeSucceeded', { statistic: Stats.SAMPLE_COUNT });
  const pages = ownMetric(functions, 'ScrapeSucceeded');
  return {
    scrapes,
    failureRate: percentage('scrapes - pages', 'scrapes', { scrapes, pages }),
    blockedEgress: blockedEgress([scraper, worker, jobs], Stack.of(scraper), name),
    creditsCharged: ownMetric(functions, 'CreditsCharged'),
    creditsAnomalies: ownMetric(functions, 'CreditsAnomalies'),
  };
}

function ofJobs({ functions, queue, deadLetters }: Watched) {
  const begun = functions.sweeper.metricInvocations(SUM);
  const failed = functions.sweeper.metricErrors(SUM);
  return {
    queueAge: queue.metricApproximateAgeOfOldestMessage(MAXIMUM),
    queueDepth: queue.metricApproximateNumberOfMessagesVisible(MAXIMUM),
    // The sweeper takes dead letters at once, so they are rarely visible in the queue.
    deadLetters: total('dead', [
      deadLetters.metricNumberOfMessagesReceived(SUM),
      deadLetters.metricApproximateNumberOfMessagesVisible(MAXIMUM),
    ]),
    settledLate: ownMetric(functions, 'JobsSettledLate'),
    sweeps: new MathExpression({ expression: 'begun - failed', usingMetrics: { begun, failed }, period }),
  };
}

function ofWebhooks({ functions, notices, deadNotices }: Watched) {
  const attempts = ownMetric(functions, 'DeliverySucceeded', { statistic: Stats.SAMPLE_COUNT });
  return {
    noticeAge: notices.metricApproximateAgeOfOldestMessage(MAXIMUM),
    deadNotices: deadNotices.metricApproximateNumberOfMessagesVisible(MAXIMUM),
    attempts,
    delivered: ownMetric(functions, 'DeliverySucceeded'),
    webhooksDisabled: ownMetric(functions, 'WebhooksDisabled'),
  };
}

function ofFunctions({ functions }: Watched) {
  const { browser } = functions;
  const all = Object.values(functions);
  const own = ownMetric.bind(undefined, functions);
  return {
    errors: total(
      'errors',
      all.map((it) => it.metricErrors(SUM)),
    ),
    throttles: total(
      'throttled',
      all.map((it) => it.metricThrottles(SUM)),
    ),
    recursionsDropped: total(
      'dropped',
      all.map((it) => it.metric('RecursiveInvocationsDropped', SUM)),
    ),
    browsers: browser.metric('ConcurrentExecutions', MAXIMUM),
    browserThrottles: browser.metricThrottles(SUM),
    browserCrashes: own('ScrapeFailed', { of: 'browser_crashed' }),
    browserFallback: own('BrowserFallback'),
    browserUnusable: own('BrowserUnusable'),
    chromiumAge: own('ChromiumAge', { statistic: Stats.MAXIMUM }),
    tmpFree: own('TmpFree', { statistic: Stats.MINIMUM }),
  };
}

/** Jobs apart: their throttles have causes of their own. */
const ofTables = ({ accounts, jobs, activity, webhooks }: Watched) => ({
  tableThrottles: total('tables', [
    ...throttlesOf(accounts, indexes.accounts),
    ...throttlesOf(activity, []),
    ...throttlesOf(webhooks, indexes.webhooks),
  ]),
  jobThrottles: total('jobs', throttlesOf(jobs, indexes.jobs)),
});

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
function blockedEgress(writers: readonly Function[], stack: Stack, stage: StageName): MathExpression {
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
