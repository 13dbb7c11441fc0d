import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { AlarmRule } from './alarm-rules.ts';
import type { Graph } from './dashboard.ts';
import { SUM } from './metric-math.ts';
import { ownMetric } from './own-metric.ts';

export type PeopleMetrics = ReturnType<typeof peopleMetrics>;

/** The metrics of the dashboard for people, for alarms and graphs. */
export const peopleMetrics = ({ deploymentStage: stage }: RestApi, renderer: Function) => ({
  requests: stage.metricCount(SUM),
  faults: stage.metricServerError(SUM),
  signUps: ownMetric({ dashboard: renderer }, 'SignUps'),
  signInsRefused: ownMetric({ dashboard: renderer }, 'SignInsRefused'),
  codesMailed: ownMetric({ dashboard: renderer }, 'CodesMailed'),
  codesOfADay: ownMetric({ dashboard: renderer }, 'CodesMailed', { over: Duration.days(1) }),
});

/** Named after their sections in the runbook. */
export const peopleRules = {
  DashboardFaults: {
    metric: 'faults',
    above: 5,
    periods: 2,
    says: 'Pages of the dashboard fail because of the dashboard itself.',
    section: 'nobody-can-sign-in',
  },
  ManySignUps: { metric: 'signUps', above: 100, periods: 1, says: 'Someone is creating accounts in bulk.' },
  RefusedSignIns: {
    metric: 'signInsRefused',
    above: 100,
    periods: 1,
    says: 'Someone is guessing passwords.',
  },
} as const satisfies Record<string, AlarmRule<keyof PeopleMetrics>>;

/** Only without a sender in SES: Cognito's own stops after 50 mails a day. */
export const mailRules = {
  MailsRunOut: {
    metric: 'codesOfADay',
    above: 40,
    periods: 1,
    says: 'Most of the 50 mails that Cognito sends a day are used.',
    section: 'nobody-can-sign-in',
  },
} as const satisfies Record<string, AlarmRule<keyof PeopleMetrics>>;

export const peopleGraphs = (it: PeopleMetrics): readonly Graph[] => [
  ['Requests', { requests: it.requests, '5xx': it.faults }],
  ['Accounts', { begun: it.signUps, 'sign-ins refused': it.signInsRefused }],
  ['Codes mailed', { codes: it.codesMailed }],
];
