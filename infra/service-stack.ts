import { type App, CfnOutput, Duration, Size, Stack, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Architecture, TenancyConfig, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from '../shared/config.ts';
import { acknowledgedRules, untraced } from './acknowledged-rules.ts';
import { alarms } from './constructs/alarms.ts';
import type { Bundles } from './constructs/bundle-functions.ts';
import { type Chromium, chromiumLayer } from './constructs/chromium-layer.ts';
import { customDomain } from './constructs/custom-domain.ts';
import { dashboard } from './constructs/dashboard.ts';
import { firewall } from './constructs/firewall.ts';
import { consume, jobsQueue } from './constructs/jobs-queue.ts';
import { addRoutes, hostOf, restApi } from './constructs/rest-api.ts';
import { serviceFunction } from './constructs/service-function.ts';
import { serviceMetrics } from './constructs/service-metrics.ts';
import { callOf, permissionsOn, readOf } from './permissions.ts';
import type { Stage, StageName } from './stages.ts';
import type { Storage } from './storage-stack.ts';

/** What is deployed besides the description of it. */
export type Code = { bundles: Bundles; chromium: Chromium };

/** A scrape takes 120 s at most; what comes on top is for admission, storing and settling, or for a slow reader of 50 MB. */
const timeouts = {
  scraper: Duration.seconds(300),
  jobs: Duration.seconds(300),
  worker: Duration.seconds(150),
  browser: Duration.seconds(125),
  sweeper: Duration.seconds(60),
  meta: Duration.seconds(10),
} satisfies Record<FunctionName, Duration>;

/** Enough for dead letters, which should not exist; the least that Lambda takes. */
const SWEEPER_CONCURRENCY = 2;

/** Functions, queue, API and schedule: everything that can be thrown away and deployed again. */
export function serviceStack(app: App, name: StageName, stage: Stage, storage: Storage, code: Code): void {
  const stack = new Stack(app, `sitefetch-${name}-service`, {
    description: 'Sitefetch: the API and its functions.',
    terminationProtection: stage.terminationProtection,
  });
  const queues = jobsQueue(stack, timeouts);
  const { api, accessLogs } = restApi(stack, name, stage);
  const apiHost = [hostOf(api), stage.domain?.name].filter(Boolean).join();
  const functions = allFunctions(stack, stage, { ...storage, ...queues, apiHost }, code);

  consume(functions.worker, queues.queue, stage.workerConcurrency);
  consume(functions.sweeper, queues.deadLetters, SWEEPER_CONCURRENCY);
  new Rule(stack, 'EveryMinute', {
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new LambdaFunction(functions.sweeper)],
  });
  addRoutes(api, {
    scraper: { function: functions.scraper, timeout: timeouts.scraper },
    jobs: { function: functions.jobs, timeout: timeouts.jobs },
    meta: { function: functions.meta, timeout: timeouts.meta },
  });
  const domainTarget = stage.domain && customDomain(api, stage.domain);
  if (stage.firewall) firewall(api, stage.firewall);
  const watched = serviceMetrics({ name, api, accessLogs, functions, ...queues, ...storage });
  dashboard(stack, name, watched, alarms(stack, name, watched, stage.alarmEmail));
  Validations.of(stack).acknowledge(...acknowledgedRules(Stack.of(storage.results).stackName));
  outputs(stack, {
    ApiUrl: stage.domain ? `https://${stage.domain.name}/` : api.url,
    ...(domainTarget && { DomainTarget: domainTarget }),
    AccountsTable: storage.accounts.tableName,
    JobsTable: storage.jobs.tableName,
    ResultsBucket: storage.results.bucketName,
    JobsQueueUrl: queues.queue.queueUrl,
  });
}

type Resources = Storage & ReturnType<typeof jobsQueue> & { apiHost: string };

function allFunctions(stack: Stack, stage: Stage, resources: Resources, { bundles, chromium }: Code) {
  const may = permissionsOn(resources);
  const of = <F extends FunctionName>(name: F) => ({ stage, bundle: bundles[name], timeout: timeouts[name] });
  // Chromium and impit are native for x86_64; everything else runs on the cheaper arm64.
  const { X86_64, ARM_64 } = Architecture;

  const ACCOUNTS_TABLE = resources.accounts.tableName;
  const JOBS_TABLE = resources.jobs.tableName;
  const RESULTS_BUCKET = resources.results.bucketName;
  const JOBS_QUEUE_URL = resources.queue.queueUrl;
  const API_HOST = resources.apiHost;

  const { premiumProxySecretArn: secretArn } = stage;
  // A page that takes its browser over sees the next requests of the environment, upstream and all.
  if (secretArn !== undefined && !stage.tenantIsolation)
    throw new Error('A stage with a premiumProxySecretArn needs tenantIsolation.');
  const premium = secretArn === undefined ? {} : { PREMIUM_PROXY_SECRET_ARN: secretArn };
  const readPremium = secretArn === undefined ? [] : [readOf(secretArn)];

  const tenancy = stage.tenantIsolation ? { BROWSER_TENANCY: 'PER_TENANT' } : {};

  const browser = serviceFunction(stack, 'browser', {
    ...of('browser'),
    architecture: X86_64,
    environment: { API_HOST, BROWSER_PROCESSES: stage.browserProcesses },
    permissions: may.browser,
    layers: [chromiumLayer(stack, chromium)],
    ephemeralStorageSize: Size.gibibytes(1),
    // Sending traces takes a permission, and it is to have none.
    tracing: Tracing.DISABLED,
    ...(stage.tenantIsolation && { tenancyConfig: TenancyConfig.PER_TENANT }),
  });
  Validations.of(browser).acknowledge(untraced);
  const BROWSER_FUNCTION = browser.functionName;

  return {
    browser,
    scraper: serviceFunction(stack, 'scraper', {
      ...of('scraper'),
      architecture: X86_64,
      environment: { ACCOUNTS_TABLE, BROWSER_FUNCTION, API_HOST, ...tenancy, ...premium },
      permissions: [...may.scraper, callOf(browser), ...readPremium],
    }),
    worker: serviceFunction(stack, 'worker', {
      ...of('worker'),
      architecture: X86_64,
      environment: {
        ACCOUNTS_TABLE,
        JOBS_TABLE,
        RESULTS_BUCKET,
        JOBS_QUEUE_URL,
        BROWSER_FUNCTION,
        API_HOST,
        ...tenancy,
        ...premium,
      },
      permissions: [...may.worker, callOf(browser), ...readPremium],
    }),
    jobs: serviceFunction(stack, 'jobs', {
      ...of('jobs'),
      architecture: ARM_64,
      // It may not read the secret: it only has to know whether there is one.
      environment: { ACCOUNTS_TABLE, JOBS_TABLE, RESULTS_BUCKET, JOBS_QUEUE_URL, API_HOST, ...premium },
      permissions: may.jobs,
    }),
    sweeper: serviceFunction(stack, 'sweeper', {
      ...of('sweeper'),
      architecture: ARM_64,
      environment: { ACCOUNTS_TABLE, JOBS_TABLE, JOBS_QUEUE_URL },
      permissions: may.sweeper,
    }),
    meta: serviceFunction(stack, 'meta', {
      ...of('meta'),
      architecture: ARM_64,
      environment: {},
      permissions: may.meta,
    }),
  };
}

function outputs(stack: Stack, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) new CfnOutput(stack, name, { value });
}
