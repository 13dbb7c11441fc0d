import { Metrics } from '@aws-lambda-powertools/metrics';
import { metrics, NAMESPACE } from '../observe/metrics.ts';
import type { Count } from '../ports/effects.ts';

/** Written at once, because a function may be killed at any time. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
export function emfCount(functionName: string): Count {
  const all = new Metrics({ namespace: NAMESPACE, serviceName: functionName });
  return (name, value, of) => {
    const metric = metrics[name];
    const single = all.singleMetric();
    if ('dimension' in metric && of !== undefined) single.addDimension(metric.dimension, of);
    single.addMetric(name, metric.unit, value);
  };
}
