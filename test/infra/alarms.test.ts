import { expect, it } from 'vitest';
import { metrics } from '../../shared/observe/metrics.ts';
import { named, ofType, synthesised, the } from './synthesised.ts';

const { service } = await synthesised();
const alarms = ofType(service, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const alarmNamed = (name: string) =>
  JSON.stringify(alarms.find(({ AlarmName }) => AlarmName === `sitefetch-dev-${name}`));
const dashboard = JSON.stringify(ofType(service, 'AWS::CloudWatch::Dashboard')[0]?.[1].Properties);

it('looks at every metric that functions write, of each function that writes it', () => {
  for (const [metric, { by }] of Object.entries(metrics)) {
    const looked = alarms
      .map((alarm) => JSON.stringify(alarm))
      .filter((alarm) => alarm.includes(`"${metric}"`));
    if (looked.length === 0) expect(dashboard).toContain(metric);
    for (const name of looked.length > 0 ? by : []) {
      expect(looked.join()).toContain(`${name.charAt(0).toUpperCase()}${name.slice(1)}Function`);
    }
  }
});

it('shows every alarm on the dashboard', () => {
  for (const { AlarmName } of alarms) expect(dashboard).toContain(`alarm:${String(AlarmName)}`);
});

it('takes silence of the sweeper for bad news, and of all else for good', () => {
  const silent = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
  expect(silent.map(({ AlarmName }) => AlarmName)).toEqual(['sitefetch-dev-NoSweeps']);
  expect(new Set(alarms.map(({ TreatMissingData }) => TreatMissingData)).size).toBe(2);
});

it('counts faults of ours in the access log, and not what targets did', () => {
  const filter = the(service, 'AWS::Logs::MetricFilter', 'AccessLogsOwnFaults').Properties;
  expect(named(filter.LogGroupName)).toBe('AccessLogs');
  expect(filter.FilterPattern).toBe('{ ($.status = "500") || ($.gateway_error = "INTEGRATION_TIMEOUT") }');
  expect(alarmNamed('OwnFaults')).toContain('"OwnFaults"');
  expect(alarmNamed('OwnFaults')).not.toContain('5XXError');
});

it('counts blocked targets by organization, without a metric for each', () => {
  const rule = ofType(service, 'AWS::CloudWatch::InsightRule')[0]?.[1].Properties;
  expect(alarmNamed('BlockedEgress')).toContain(String(rule?.RuleName));
  expect(JSON.stringify(rule?.RuleBody)).toMatch(/Keys.*\$\.org_id.*\$\.code.*url_not_allowed/);
  expect(dashboard + JSON.stringify(alarms)).not.toContain('org_id');
});
