import type { Duration } from 'aws-cdk-lib';
import { type MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from '../../shared/config.ts';
import { FUNCTION_DIMENSION, type MetricName, metrics, NAMESPACE } from '../../shared/observe/metrics.ts';
import { period, total } from './metric-math.ts';

type OwnOptions = { of?: string; statistic?: string; over?: Duration };

/** A metric of the service over the functions that write it; `of` selects a value of its dimension. */
export function ownMetric(
  functions: Readonly<Partial<Record<FunctionName, Function>>>,
  metricName: MetricName,
  { of: value, statistic = Stats.SUM, over = period }: OwnOptions = {},
): MathExpression {
  const { by, ...rest } = metrics[metricName];
  const further = 'dimension' in rest && value !== undefined ? { [rest.dimension]: value } : {};
  const writers = by.flatMap((it) => functions[it] ?? []);
  const parts = writers.map(({ functionName }) => {
    const dimensionsMap = { [FUNCTION_DIMENSION]: functionName, ...further };
    return new Metric({ namespace: NAMESPACE, metricName, dimensionsMap, statistic, period: over });
  });
  return total(metricName.charAt(0).toLowerCase() + metricName.slice(1) + statistic, parts, over);
}
