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
  return new MathExpression({
    expression: `SUM([${Object.keys(usingMetrics).join()}])`,
    usingMetrics,
    period: over,
  });
}

export function percentage(
  part: string,
  whole: string,
  usingMetrics: Record<string, IMetric>,
): MathExpression {
  const expression = `IF(${whole} >= ${ENOUGH}, 100 * (${part}) / ${whole}, 0)`;
  return new MathExpression({ expression, usingMetrics, period });
}
