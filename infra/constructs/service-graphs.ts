import type { Graph } from './dashboard.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** In the order of a request's way. */
export const serviceGraphs = (it: ServiceMetrics): readonly Graph[] => [
  ['Requests', { requests: it.requests, '5xx': it.serverErrors }],
  ['Failures, %', { 'of the service': it.faultRate, 'of scrapes': it.failureRate }],
  ['Latency, p95, ms', { responses: it.latency }],
  ['Scrapes', { scrapes: it.scrapes, 'browsers crashed': it.browserCrashes }],
  ['Credits', { charged: it.creditsCharged, anomalies: it.creditsAnomalies }],
  ['Blocked egress, top organization', { blocked: it.blockedEgress }],
  ['Queue, messages', { waiting: it.queueDepth, dead: it.deadLetters }],
  ['Queue, age in s', { oldest: it.queueAge }],
  ['Jobs', { 'settled late': it.settledLate, sweeps: it.sweeps }],
  [
    'Webhooks, attempts',
    { all: it.attempts, delivered: it.delivered, 'endpoints disabled': it.webhooksDisabled },
  ],
  ['Webhooks, queue', { 'age in s': it.noticeAge, dead: it.deadNotices }],
  ['Functions', { errors: it.errors, throttles: it.throttles, 'ended loops': it.recursionsDropped }],
  ['Tables, throttles', { 'accounts, activity, webhooks': it.tableThrottles, jobs: it.jobThrottles }],
  ['Browsers', { concurrent: it.browsers, throttles: it.browserThrottles }],
  ['Browser starts', { 'fell back': it.browserFallback, failed: it.browserUnusable }],
  ['Browsers, bytes free in /tmp', { minimum: it.tmpFree }],
];
