import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';

export const period = Duration.minutes(5);
export const SUM = { statistic: Stats.SUM, period };
export const MAXIMUM = { statistic: Stats.MAXIMUM, period };

/** Minimum of requests in a period for a rate to mean something. */
const ENOUGH = 20;

/** The sum of the metrics that have data. `id` must be unique per graph. */
export function total(id: string, parts: IMetric[], over = period): MathExpression {
  const usingMetrics = Object.fromEntries(parts.map((part, index) => [`${id}${index}`, part]));
  return sum(usingMetrics, over);
}

type Metrics = Readonly<Record<string, IMetric>>;

const sumOf = (metrics: Metrics) => `SUM([${Object.keys(metrics).join()}])`;

const sum = (metrics: Metrics, over: Duration) =>
  new MathExpression({ expression: sumOf(metrics), usingMetrics: { ...metrics }, period: over });

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create-alarm-on-metric-math-expression.html */
const MAX_METRICS = 10;

/** A total as sums of at most ten metrics. Throws for a longer expression of another kind. */
export function alarmable(metric: IMetric): IMetric[] {
  if (!(metric instanceof MathExpression)) return [metric];
  const { expression, usingMetrics } = metric;
  const parts = Object.entries(usingMetrics);
  if (parts.length <= MAX_METRICS) return [metric];
  if (expression !== sumOf(usingMetrics))
    throw new Error(`An alarm takes ${MAX_METRICS} metrics, and this is no sum: ${expression}`);
  const tens = Array.from({ length: Math.ceil(parts.length / MAX_METRICS) }, (_, index) =>
    Object.fromEntries(parts.slice(index * MAX_METRICS, (index + 1) * MAX_METRICS)),
  );
  return tens.map((some) => sum(some, metric.period));
}

export function percentage(
  part: string,
  whole: string,
  usingMetrics: Record<string, IMetric>,
): MathExpression {
  const expression = `IF(${whole} >= ${ENOUGH}, 100 * (${part}) / ${whole}, 0)`;
  return new MathExpression({ expression, usingMetrics, period });
}
