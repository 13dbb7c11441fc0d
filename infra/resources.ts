import type { Stack } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Bundles } from './constructs/bundle-functions.ts';
import type { Chromium } from './constructs/chromium-layer.ts';
import type { Identity } from './identity-stack.ts';
import type { Stage } from './stages.ts';
import type { Storage } from './storage-stack.ts';

export type Code = { bundles: Bundles; chromium: Chromium };

/** Everything that the dashboard is made from or may access. */
export type DashboardResources = Pick<
  Storage,
  'accounts' | 'activity' | 'jobs' | 'results' | 'webhooks' | 'webhookKey'
> &
  Identity & { stack: Stack; stage: Stage; code: Code; queue: Queue; notices: Queue; apiUrl: string };

export type Resources = Storage & {
  stack: Stack;
  stage: Stage;
  code: Code;
  queue: Queue;
  deadLetters: Queue;
  notices: Queue;
  /** Without a slash at its end. */
  apiUrl: string;
  /** `host,…`: every host name of the API. */
  apiHost: string;
};
