import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { FunctionName } from '../shared/config.ts';

/** All that differs between one deployment and another. */
export type Stage = {
  /** MiB per function; on Lambda a share of the CPU comes with it. */
  memory: Readonly<Record<FunctionName, number>>;
  /** Workers at a time, each with up to ten jobs: the brake on the cost of a full queue. */
  workerConcurrency: number;
  /** Browsers at a time. Taken from the account's limit, so a new account with a limit of 10 cannot set it. */
  browserConcurrency?: number;
  /** Requests a second and burst for all callers together: a fuse, not the rate limit of an organization. */
  throttle: { rate: number; burst: number };
  /** Secret that is the premium upstream's URL as text, its whole ARN. Absent: `premium_proxy` is not to be had. */
  premiumProxySecretArn?: string;
  logRetention: RetentionDays;
  /** What becomes of the tables when the stack is deleted. The bucket stays in any case. */
  tables: { removalPolicy: RemovalPolicy; deletionProtection: boolean };
};

const memory = { scraper: 1024, jobs: 512, worker: 2048, browser: 2048, sweeper: 512, meta: 256 };

export const stages = {
  dev: {
    memory,
    workerConcurrency: 5,
    throttle: { rate: 100, burst: 200 },
    logRetention: RetentionDays.ONE_WEEK,
    tables: { removalPolicy: RemovalPolicy.DESTROY, deletionProtection: false },
  },
  prod: {
    memory,
    workerConcurrency: 50,
    browserConcurrency: 200,
    throttle: { rate: 2_000, burst: 4_000 },
    logRetention: RetentionDays.THREE_MONTHS,
    tables: { removalPolicy: RemovalPolicy.RETAIN, deletionProtection: true },
  },
} as const satisfies Record<string, Stage>;

export type StageName = keyof typeof stages;

export const isStageName = (name: unknown): name is StageName => typeof name === 'string' && name in stages;
