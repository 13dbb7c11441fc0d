import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { NAMESPACE } from '../../shared/observe/metrics.ts';
import type { StageName } from '../stage-names.ts';
import { SUM } from './metric-math.ts';

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
