import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Environment, FunctionName } from '../shared/config.ts';
import type { StageName } from './stage-names.ts';

/** All that differs between one deployment and another. */
export type Stage = {
  /** MiB per function; on Lambda a share of the CPU comes with it. */
  memory: Readonly<Record<FunctionName, number>>;
  /** Workers at a time, each with up to ten jobs: the brake on the cost of a full queue. */
  workerConcurrency: number;
  /** Most environments at a time, where a runaway would cost. Taken from the account's limit: one of 10 has none to give. */
  reservedConcurrency: Partial<Readonly<Record<FunctionName, number>>>;
  /** Whether Chromium renders in one process, as it starts on Lambda, or in many. Each environment proves it and falls back. */
  browserProcesses: Environment<'browser'>['BROWSER_PROCESSES'];
  /** Whether each organization has environments of its own for its pages. A change of it makes a new browser function. */
  tenantIsolation: boolean;
  /** Organizations that render within the same ten minutes, and pages that each has at once, for a warning if they do not fit. */
  expected?: { organizations: number; pagesAtOnce: number };
  /** Requests a second and burst for all callers together: a fuse, not the rate limit of an organization. */
  throttle: { rate: number; burst: number };
  /** Web application firewall before the API, by requests a minute of one address, all and those without a key. Absent: none. */
  firewall?: { requestsPerMinute: number; withoutKeyPerMinute: number };
  /** Name of the operator's own that callers reach the API by, and the ARN of a certificate for it in the same region. */
  domain?: { name: string; certificateArn: string };
  /** Who is written to when an alarm goes off. Absent: alarms only show on the dashboard. */
  alarmEmail?: string;
  /** Secret that is the premium upstream's URL as text, its whole ARN; needs `tenantIsolation`. Absent: `premium_proxy` is not to be had. */
  premiumProxySecretArn?: string;
  /** How long logs are kept, and what becomes of them when the stack is deleted. */
  logs: { retention: RetentionDays; removalPolicy: RemovalPolicy };
  /** What becomes of the tables when the stack is deleted. The bucket stays in any case. */
  tables: { removalPolicy: RemovalPolicy; deletionProtection: boolean };
  /** Tables to be used in place of new ones: restored, or left by a stack that was deleted. See docs/runbook.md, "Restore". */
  existingTables?: { accounts: string; jobs: string };
  /** Whether the stacks refuse to be deleted. */
  terminationProtection: boolean;
};

/** Kept when the stack is deleted, but not when it could not be created. */
const RETAIN_EXCEPT_ON_CREATE = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

const memory = { scraper: 1024, jobs: 512, worker: 2048, browser: 2048, sweeper: 512, meta: 256 };

export const stages = {
  dev: {
    memory,
    workerConcurrency: 5,
    reservedConcurrency: {},
    browserProcesses: 'one',
    tenantIsolation: false,
    throttle: { rate: 100, burst: 200 },
    logs: { retention: RetentionDays.ONE_WEEK, removalPolicy: RemovalPolicy.DESTROY },
    tables: { removalPolicy: RemovalPolicy.DESTROY, deletionProtection: false },
    terminationProtection: false,
  },
  prod: {
    memory,
    workerConcurrency: 50,
    // 855 of the 1,000 of an account, which has to keep 100 unreserved: see docs/deploy.md, "Concurrency".
    reservedConcurrency: { scraper: 400, browser: 300, jobs: 100, worker: 50, sweeper: 5 },
    browserProcesses: 'one',
    tenantIsolation: true,
    expected: { organizations: 75, pagesAtOnce: 10 },
    throttle: { rate: 2_000, burst: 4_000 },
    // More than the largest plan allows, as one customer may come from one address; without a key nothing is sold.
    firewall: { requestsPerMinute: 100_000, withoutKeyPerMinute: 600 },
    logs: { retention: RetentionDays.THREE_MONTHS, removalPolicy: RETAIN_EXCEPT_ON_CREATE },
    tables: { removalPolicy: RemovalPolicy.RETAIN, deletionProtection: true },
    terminationProtection: true,
  },
} as const satisfies Record<StageName, Stage>;
