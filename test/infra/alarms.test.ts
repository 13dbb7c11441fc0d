import { readFile } from 'node:fs/promises';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { expect, test } from 'vitest';
import { alarms as makeAlarms } from '../../infra/constructs/alarms.ts';
import { percentage, total } from '../../infra/constructs/metric-math.ts';
import { metrics } from '../../shared/observe/metrics.ts';
import { everyOption, named, ofType, type Resources, synthesised, the } from './synthesised.ts';

const stacks = await synthesised();
const { service } = stacks;
const alarmsIn = (stack: Resources) =>
  ofType(stack, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const alarms = alarmsIn(service);
const alarmNamed = (name: string) =>
  JSON.stringify(alarms.find(({ AlarmName }) => AlarmName === `sitefetch-dev-${name}`));
const graphsIn = (stack: Resources) =>
  JSON.stringify(ofType(stack, 'AWS::CloudWatch::Dashboard')[0]?.[1].Properties);
const dashboard = graphsIn(service);

test('covers every metric that functions write, for each function that writes it', () => {
  for (const [metric, { by }] of Object.entries(metrics)) {
    const looked = [...alarms, ...alarmsIn(stacks.dashboard)]
      .map((alarm) => JSON.stringify(alarm))
      .filter((alarm) => alarm.includes(`"${metric}"`));
    if (looked.length === 0) expect(dashboard).toContain(metric);
    for (const name of looked.length > 0 ? by : []) {
      expect(looked.join()).toContain(`${name.charAt(0).toUpperCase()}${name.slice(1)}Function`);
    }
  }
});

test('has as many alarms, dashboards and firewall rules as docs/cost.md says', async () => {
  const cost = await readFile(new URL('../../docs/cost.md', import.meta.url), 'utf8');
  const prod = await synthesised({ stage: 'prod' });
  const metricsIn = (stack: Resources) =>
    alarmsIn(stack).map((it) => JSON.stringify(it).match(/"MetricStat"|INSIGHT_RULE/g)?.length ?? 1);
  const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0);
  const counted = (type: string) => [prod.service, prod.dashboard].flatMap((stack) => ofType(stack, type));
  const firewalls = counted('AWS::WAFv2::WebACL').map(([, { Properties }]) => Properties.Rules as unknown[]);
  for (const [row, amount] of [
    ['Alarm metrics', sum(metricsIn(service))],
    ['Alarm metrics of the dashboard for people', sum(metricsIn(stacks.dashboard))],
    ['CloudWatch dashboards', counted('AWS::CloudWatch::Dashboard').length],
    ['Web ACLs, of the API and of the dashboard', firewalls.length],
    ['Their rules', firewalls.flat().length],
  ] as const)
    expect(cost).toMatch(new RegExp(`\\| ${row} +\\| +${amount} \\|`));
});

test('shows every alarm on the dashboard', () => {
  for (const stack of [service, stacks.dashboard]) {
    expect(alarmsIn(stack).length).toBeGreaterThan(0);
    for (const { AlarmName } of alarmsIn(stack))
      expect(graphsIn(stack)).toContain(`alarm:${String(AlarmName)}`);
  }
});

test('treats missing data as an alarm for the sweeper only', () => {
  const silent = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
  expect(silent.map(({ AlarmName }) => AlarmName)).toEqual(['sitefetch-dev-NoSweeps']);
  expect(new Set(alarms.map(({ TreatMissingData }) => TreatMissingData)).size).toBe(2);
});

test('counts failures of the service in the access log, but no failures of targets', () => {
  const filter = the(service, 'AWS::Logs::MetricFilter', 'AccessLogsOwnFaults').Properties;
  expect(named(filter.LogGroupName)).toBe('AccessLogs');
  expect(filter.FilterPattern).toBe('{ ($.status = "500") || ($.gateway_error = "INTEGRATION_TIMEOUT") }');
  expect(alarmNamed('OwnFaults')).toContain('"OwnFaults"');
  expect(alarmNamed('OwnFaults')).not.toContain('5XXError');
});

test('covers table indexes, which throttle before their tables', () => {
  for (const [alarm, table, index] of [
    ['TableThrottles', 'Accounts', 'by_org'],
    ['JobTableThrottles', 'Jobs', 'open'],
    ['JobTableThrottles', 'Jobs', 'by_org'],
  ] as const)
    expect(alarmNamed(alarm)).toMatch(
      new RegExp(`"GlobalSecondaryIndexName","Value":"${index}"[^]*${table}`),
    );
});

test('covers throttles of the browser separately', () => {
  expect(alarmNamed('BrowserThrottles')).toContain('"Throttles"');
  expect(alarmNamed('BrowserThrottles')).not.toMatch(/(Scraper|Worker|Jobs|Meta|Sweeper)Function/);
});

test('no alarm adds up more than the ten metrics that CloudWatch takes', () => {
  for (const { AlarmName, Metrics = [] } of [...alarms, ...alarmsIn(stacks.dashboard)])
    expect(JSON.stringify(Metrics).match(/"MetricStat"/g)?.length ?? 0, String(AlarmName)).toBeLessThan(11);
});

test('a sum of more metrics gets several alarms, so that a further function or index can be deployed', () => {
  // A check of its template would take seconds.
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Summed');
  const metric = (name: string) => new Metric({ namespace: 'AWS/Lambda', metricName: name });
  const errors = total(
    'errors',
    Array.from({ length: 23 }, (_, index) => metric(`E${index}`)),
  );
  const rules = { Errors: { metric: 'errors', above: 0, periods: 1, says: 'Errors.' } } as const;
  expect(makeAlarms(stack, 'dev', { rules, watched: { errors } })).toEqual([
    'sitefetch-dev-Errors',
    'sitefetch-dev-Errors2',
    'sitefetch-dev-Errors3',
  ]);
  const made = alarmsIn(Template.fromStack(stack).toJSON().Resources as Resources);
  const summed = made.map(({ Metrics }) => JSON.stringify(Metrics).match(/"E\d+"/g) ?? []);
  expect(summed.map(({ length }) => length)).toEqual([10, 10, 3]);
  expect(new Set(summed.flat()).size).toBe(23);
  const rate = percentage('errors', 'errors', errors.usingMetrics);
  expect(() => makeAlarms(new Stack(), 'dev', { rules, watched: { errors: rate } })).toThrow('no sum');
});

test('looks at chains of invocations that Lambda ends, of every function', () => {
  const looked = JSON.stringify(alarms).match(/"RecursiveInvocationsDropped"/g);
  expect(looked).toHaveLength(ofType(service, 'AWS::Lambda::Function').length);
});

test('is created after the rule or schedule that its metric comes from', () => {
  for (const [alarm, type, name] of [
    ['BlockedEgress', 'AWS::CloudWatch::InsightRule', 'BlockedEgress'],
    ['NoSweeps', 'AWS::Events::Rule', 'EveryMinute'],
  ] as const) {
    const { DependsOn } = the(service, 'AWS::CloudWatch::Alarm', `Alarms${alarm}`);
    const [id = ''] = ofType(service, type).find(([it]) => it.startsWith(name)) ?? [];
    expect(DependsOn).toContain(id);
  }
});

test('counts blocked targets by organization, without a metric for each', () => {
  const rule = ofType(service, 'AWS::CloudWatch::InsightRule')[0]?.[1].Properties;
  expect(alarmNamed('BlockedEgress')).toContain(String(rule?.RuleName));
  expect(JSON.stringify(rule?.RuleBody)).toMatch(/Keys.*\$\.org_id.*\$\.code.*url_not_allowed/);
  expect(dashboard + JSON.stringify(alarms)).not.toContain('org_id');
});

test("looks at Cognito's mails of a day unless a sender in SES mails the codes", async () => {
  const named = (stack: Resources) => alarmsIn(stack).map(({ AlarmName }) => AlarmName);
  expect(named(stacks.dashboard)).toContain('sitefetch-dev-MailsRunOut');
  const { dashboard: withSender } = await synthesised({ but: { mail: everyOption.mail } });
  expect(named(withSender)).not.toContain('sitefetch-dev-MailsRunOut');
});
