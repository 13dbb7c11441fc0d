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

const COLUMNS = 24;
const PER_ROW = 3;

export type Graph = [title: string, metrics: Record<string, Metric | MathExpression>];

/** One page that shows where something is wrong: alarms, then graphs. */
export function dashboard(
  scope: Construct,
  dashboardName: string,
  { graphs, alarms }: { graphs: readonly Graph[]; alarms: readonly string[] },
): void {
  const widgets = graphs.map(([title, metrics]) => {
    const left = Object.entries(metrics).map(([label, metric]) => metric.with({ label }));
    return new GraphWidget({ title, width: COLUMNS / PER_ROW, left });
  });
  const page = new Dashboard(scope, 'Dashboard', {
    dashboardName,
    periodOverride: PeriodOverride.INHERIT,
  });
  const states = alarms.map((alarm) => Alarm.fromAlarmName(page, alarm, alarm));
  page.addWidgets(new AlarmStatusWidget({ title: 'Alarms', width: COLUMNS, alarms: states }));
  for (let row = 0; row < widgets.length; row += PER_ROW)
    page.addWidgets(...widgets.slice(row, row + PER_ROW));
}
