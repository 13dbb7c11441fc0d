import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Environment, FunctionName } from '../shared/config.ts';
import type { SignUpPolicy } from '../shared/domain/people/sign-up-policy.ts';
import type { StageName } from './stage-names.ts';

/** An endpoint of the operator's choice, with the full ARN of the secret that has its key, or Bedrock. */
export type Model =
  | {
      kind: 'openai';
      /** Such as `https://models.example/v1`; also at a private address that the function reaches. */
      baseUrl: string;
      secretArn?: string;
      name: string;
      /** What the endpoint takes as `response_format`. */
      structured: Environment<'model'>['MODEL_STRUCTURED'];
    }
  /** The id of a model, or the full ARN of an inference profile. */
  | { kind: 'bedrock'; modelId: string };

/** Everything that differs between deployments. */
export type Stage = {
  /** MiB, where it is not the default of 512. Lambda assigns CPU in proportion. */
  memory: Partial<Readonly<Record<FunctionName, number>>>;
  /** Maximum concurrent workers, each with up to ten jobs: bounds the cost of a full queue. */
  workerConcurrency: number;
  /** Maximum concurrent notifiers, each with up to ten attempts to deliver an event. */
  notifierConcurrency: number;
  /** Of those attempts, at once: a fraction, so that slow receivers of one organization stop no other's. */
  attemptsPerOrganization: number;
  /** Cap on environments, to bound cost. Taken from the account's limit: one of 10 has none to spare. */
  reservedConcurrency: Partial<Readonly<Record<FunctionName, number>>>;
  /** Days for which pages are kept for repeats, up to 30; 0: none is. Absent: 30. */
  cacheDays?: number;
  /** Processes of Chromium: Lambda needs one. Each environment tests it at startup and may fall back. */
  browserProcesses: Environment<'browser'>['BROWSER_PROCESSES'];
  /** Fails the synthesis without the fonts of `npm run fonts`. Absent: installed fonts, if any. */
  fonts?: 'all';
  /** Whether organizations have separate browser environments. A change replaces the browser function. */
  tenantIsolation: boolean;
  /** Organizations that render within ten minutes, and concurrent pages of each. Synthesis checks them. */
  expected?: { organizations: number; pagesAtOnce: number };
  /** Requests a second and burst of all callers together: a fuse, not the rate limit of an organization. */
  throttle: { rate: number; burst: number };
  /** Web application firewall: requests per address and minute, in all and without a key. Absent: none. */
  firewall?: { requestsPerMinute: number; withoutKeyPerMinute: number };
  /** The operator's own domain for the API, and the ARN of a certificate for it in the same region. */
  domain?: { name: string; certificateArn: string };
  /** Who may sign up in the dashboard. Invitations count everywhere but where it is closed. */
  signUp: SignUpPolicy;
  /** Domain and certificate of the dashboard, which shares no host with the API. */
  dashboardDomain?: { name: string; certificateArn: string };
  /** Without that domain, the output DashboardUrl of the first deployment: the playground needs it. */
  dashboardUrl?: string;
  /** Sender of sign-up mails, as SES has verified it. Absent: Cognito's own sender, 50 a day. */
  mail?: { from: string; domain: string; region: string };
  /** Receives alarms by mail. Absent: alarms only show on the dashboard. */
  alarmEmail?: string;
  /** Full ARN of the secret with the premium upstream's URL; needs `tenantIsolation`. Absent: none. */
  premiumProxySecretArn?: string;
  /** The language model that reads values for `extract_schema`. Absent: requests with it are refused. */
  model?: Model;
  /** Requests of crawls to one target host at once, by all organizations. Absent: 8. */
  hostConcurrency?: number;
  /** The name that robots.txt knows the service by. Absent: Sitefetch. */
  robotsToken?: string;
  /** Whether callers may ignore robots.txt. Absent: no. */
  mayIgnoreRobots?: boolean;
  logs: { retention: RetentionDays; removalPolicy: RemovalPolicy };
  /** Whether the tables outlive the stack. The bucket always does. */
  tables: { removalPolicy: RemovalPolicy; deletionProtection: boolean };
  /**
   * Restored or retained tables to use instead of new ones, and the full ARN of the secret that `webhooks`
   * was written with. See docs/runbook.md, "Restore".
   */
  existingTables?: {
    accounts: string;
    jobs: string;
    activity?: string;
    webhooks?: string;
    webhookKeyArn?: string;
  };
  terminationProtection: boolean;
};

/** Kept when the stack is deleted, but not when its creation failed. */
const RETAIN_EXCEPT_ON_CREATE = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

const memory = {
  scraper: 1024,
  jobs: 512,
  worker: 2048,
  browser: 2048,
  sweeper: 512,
  account: 512,
  batches: 1_024,
  crawls: 1_024,
  webhooks: 512,
  notifier: 512,
  mcp: 1_024,
  meta: 256,
  dashboard: 512,
  model: 512,
};

export const stages = {
  dev: {
    memory,
    workerConcurrency: 4,
    notifierConcurrency: 2,
    attemptsPerOrganization: 5,
    reservedConcurrency: {},
    browserProcesses: 'one',
    tenantIsolation: false,
    throttle: { rate: 100, burst: 200 },
    signUp: 'open',
    logs: { retention: RetentionDays.ONE_WEEK, removalPolicy: RemovalPolicy.DESTROY },
    tables: { removalPolicy: RemovalPolicy.DESTROY, deletionProtection: false },
    terminationProtection: false,
  },
  prod: {
    memory,
    workerConcurrency: 50,
    notifierConcurrency: 20,
    attemptsPerOrganization: 20,
    // 900 of the account's 1,000, of which 100 must stay unreserved: see docs/deploy.md, "Concurrency".
    reservedConcurrency: {
      scraper: 305,
      browser: 300,
      jobs: 85,
      batches: 45,
      crawls: 45,
      mcp: 25,
      worker: 50,
      notifier: 20,
      sweeper: 5,
      // Visitors without a key or a session keep no environments of other functions busy.
      dashboard: 15,
      meta: 5,
    },
    browserProcesses: 'one',
    tenantIsolation: true,
    expected: { organizations: 75, pagesAtOnce: 10 },
    throttle: { rate: 2_000, burst: 4_000 },
    signUp: 'invite',
    // Above the largest plan, as a whole customer may share one address.
    firewall: { requestsPerMinute: 100_000, withoutKeyPerMinute: 600 },
    logs: { retention: RetentionDays.THREE_MONTHS, removalPolicy: RETAIN_EXCEPT_ON_CREATE },
    tables: { removalPolicy: RemovalPolicy.RETAIN, deletionProtection: true },
    terminationProtection: true,
  },
} as const satisfies Record<StageName, Stage>;
