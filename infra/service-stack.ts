import { type App, CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { acknowledgedRules } from './acknowledged-rules.ts';
import { alarmRules } from './constructs/alarm-rules.ts';
import { alarms } from './constructs/alarms.ts';
import { customDomain } from './constructs/custom-domain.ts';
import { dashboard } from './constructs/dashboard.ts';
import { apiRates, firewall } from './constructs/firewall.ts';
import { jobsQueue } from './constructs/jobs-queue.ts';
import { noticesQueue } from './constructs/notices-queue.ts';
import { addRoutes, hostOf, restApi, urlOf } from './constructs/rest-api.ts';
import { sampling } from './constructs/sampling.ts';
import { serviceGraphs } from './constructs/service-graphs.ts';
import { type ServiceFunctions, serviceMetrics } from './constructs/service-metrics.ts';
import { account } from './functions/account.ts';
import { batches } from './functions/batches.ts';
import { browser } from './functions/browser.ts';
import { crawls } from './functions/crawls.ts';
import { jobs } from './functions/jobs.ts';
import { mcp } from './functions/mcp.ts';
import { meta } from './functions/meta.ts';
import { model } from './functions/model.ts';
import { notifier, NOTIFIER_TIMEOUT } from './functions/notifier.ts';
import { scraper } from './functions/scraper.ts';
import { sweeper, SWEEPER_TIMEOUT } from './functions/sweeper.ts';
import { webhooks } from './functions/webhooks.ts';
import { worker, WORKER_TIMEOUT } from './functions/worker.ts';
import type { Code, Resources } from './resources.ts';
import type { StageName } from './stage-names.ts';
import type { Stage } from './stages.ts';
import type { Storage } from './storage-stack.ts';

/**
 * Functions, queue, API and schedule: everything that can be deleted and deployed again. Returns the stack,
 * the queues of jobs and of the notifier,
 * and the URL of the API without a slash at its end, as callers append paths.
 */
export function serviceStack(
  app: App,
  name: StageName,
  stage: Stage,
  storage: Storage,
  code: Code,
): { stack: Stack; apiUrl: string; queue: Queue; notices: Queue } {
  const stack = new Stack(app, `sitefetch-${name}-service`, {
    description: 'Sitefetch: the API and its functions.',
    terminationProtection: stage.terminationProtection,
  });
  const queues = {
    ...jobsQueue(stack, { worker: WORKER_TIMEOUT, sweeper: SWEEPER_TIMEOUT }),
    ...noticesQueue(stack, NOTIFIER_TIMEOUT),
  };
  const { api, accessLogs } = restApi(stack, { name, stage, domain: stage.domain });
  // The dashboard imports it unless the stage has a domain, and cannot let go of it before this stack does.
  stack.exportValue(api.restApiId);
  const apiUrl = urlOf(api, name, stage.domain);
  const apiHost = [hostOf(api), stage.domain?.name, stage.dashboardDomain?.name].filter(Boolean).join();
  const functions = allFunctions({ stack, stage, code, apiUrl, apiHost, ...storage, ...queues });

  addRoutes(api, functions);
  sampling(stack, name);
  const domainTarget = stage.domain && customDomain(api, stage.domain);
  if (stage.firewall) firewall(api, { name, logs: stage.logs, rates: apiRates(stage.firewall) });
  const watched = serviceMetrics({ name, api, accessLogs, functions, ...queues, ...storage });
  dashboard(stack, `sitefetch-${name}`, {
    graphs: serviceGraphs(watched),
    alarms: alarms(stack, name, { rules: alarmRules, watched }, stage.alarmEmail),
  });
  Validations.of(stack).acknowledge(...acknowledgedRules(Stack.of(storage.results).stackName));
  outputs(stack, {
    ApiUrl: apiUrl,
    ...(domainTarget && { DomainTarget: domainTarget }),
    ...namesOf(storage),
    JobsQueueUrl: queues.queue.queueUrl,
  });
  return { stack, apiUrl, queue: queues.queue, notices: queues.notices };
}

function allFunctions(it: Resources) {
  const callees = { browser: browser(it), model: model(it) };
  return {
    browser: callees.browser,
    ...(callees.model && { model: callees.model }),
    scraper: scraper(it, callees),
    worker: worker(it, callees),
    jobs: jobs(it, callees.model),
    batches: batches(it, callees.model),
    crawls: crawls(it, callees.model),
    sweeper: sweeper(it),
    account: account(it),
    webhooks: webhooks(it),
    notifier: notifier(it),
    mcp: mcp(it),
    meta: meta(it),
  } satisfies ServiceFunctions;
}

const namesOf = ({ accounts, activity, jobs, webhooks, webhookKey, results }: Storage) => ({
  AccountsTable: accounts.tableName,
  ActivityTable: activity.tableName,
  JobsTable: jobs.tableName,
  WebhooksTable: webhooks.tableName,
  WebhookKey: webhookKey.secretArn,
  ResultsBucket: results.bucketName,
});

export function outputs(stack: Stack, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) new CfnOutput(stack, name, { value });
}
