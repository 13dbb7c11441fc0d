import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type MathExpression,
  type Metric,
  PeriodOverride,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { StageName } from '../stage-names.ts';
import type { ServiceMetrics } from './service-metrics.ts';

const COLUMNS = 24;
const PER_ROW = 3;

/** One page that shows where something is wrong: alarms, then graphs in the order of a request's way. */
export function dashboard(scope: Construct, name: StageName, it: ServiceMetrics, alarms: string[]): void {
  const graphs: [title: string, metrics: Record<string, Metric | MathExpression>][] = [
    ['Requests', { requests: it.requests, '5xx': it.serverErrors }],
    ['Failures, %', { 'of the service': it.faultRate, 'of scrapes': it.failureRate }],
    ['Latency, p95, ms', { responses: it.latency }],
    ['Scrapes', { scrapes: it.scrapes, 'browsers crashed': it.browserCrashes }],
    ['Credits', { charged: it.creditsCharged, anomalies: it.creditsAnomalies }],
    ['Blocked egress, top organization', { blocked: it.blockedEgress }],
    ['Queue, messages', { waiting: it.queueDepth, dead: it.deadLetters }],
    ['Queue, age in s', { oldest: it.queueAge }],
    ['Jobs', { 'settled late': it.settledLate, sweeps: it.sweeps }],
    ['Functions', { errors: it.errors, throttles: it.throttles, 'table throttles': it.tableThrottles }],
    ['Browsers', { concurrent: it.browsers, throttles: it.browserThrottles }],
    ['Browser starts', { 'fell back': it.browserFallback, failed: it.browserUnusable }],
    ['Browsers, bytes free in /tmp', { minimum: it.tmpFree }],
  ];
  const widgets = graphs.map(([title, metrics]) => {
    const left = Object.entries(metrics).map(([label, metric]) => metric.with({ label }));
    return new GraphWidget({ title, width: COLUMNS / PER_ROW, left });
  });
  const page = new Dashboard(scope, 'Dashboard', {
    dashboardName: `sitefetch-${name}`,
    periodOverride: PeriodOverride.INHERIT,
  });
  const states = alarms.map((alarm) => Alarm.fromAlarmName(page, alarm, alarm));
  page.addWidgets(new AlarmStatusWidget({ title: 'Alarms', width: COLUMNS, alarms: states }));
  for (let row = 0; row < widgets.length; row += PER_ROW)
    page.addWidgets(...widgets.slice(row, row + PER_ROW));
}
