import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { dashboardRules } from './acknowledged-rules.ts';
import { alarms } from './constructs/alarms.ts';
import { customDomain } from './constructs/custom-domain.ts';
import { dashboard } from './constructs/dashboard.ts';
import { firewall } from './constructs/firewall.ts';
import { mailRules, peopleGraphs, peopleMetrics, peopleRules } from './constructs/people-metrics.ts';
import { addPageRoutes, restApi, urlOf } from './constructs/rest-api.ts';
import { dashboardFunction } from './functions/dashboard.ts';
import type { DashboardResources } from './resources.ts';
import { outputs, type serviceStack } from './service-stack.ts';
import type { StageName } from './stage-names.ts';

type Options = Omit<DashboardResources, 'stack' | 'apiUrl' | 'queue' | 'notices'> & {
  service: ReturnType<typeof serviceStack>;
};

/** A page has a handful of requests. Many people may share one address. */
const REQUESTS_PER_MINUTE = 600;

/** The dashboard, on a host that no scraped page comes from. */
export function dashboardStack(app: App, name: StageName, { service, ...it }: Options): void {
  const { stage } = it;
  const stack = new Stack(app, `sitefetch-${name}-dashboard`, {
    description: 'Sitefetch: the dashboard for people.',
    terminationProtection: stage.terminationProtection,
  });
  // It creates the account's role for access logs.
  stack.addStackDependency(service.stack);
  const domain = stage.dashboardDomain;
  const { api } = restApi(stack, { name, stage, domain, suffix: '-dashboard' });
  const { apiUrl, queue, notices } = service;
  const renderer = dashboardFunction({ ...it, stack, apiUrl, queue, notices });
  addPageRoutes(api, renderer);
  const watched = peopleMetrics(api, renderer);
  const rules = stage.mail ? peopleRules : { ...peopleRules, ...mailRules };
  const watch = new Construct(stack, 'Watch');
  dashboard(watch, `sitefetch-${name}-dashboard`, {
    graphs: peopleGraphs(watched),
    alarms: alarms(watch, name, { rules, watched }, stage.alarmEmail),
  });
  const domainTarget = domain && customDomain(api, domain);
  const rates = [{ name: 'TooManyRequests', perMinute: REQUESTS_PER_MINUTE }];
  if (stage.firewall) firewall(api, { name: `${name}-dashboard`, rates, logs: stage.logs });
  Validations.of(stack).acknowledge(...dashboardRules(Stack.of(it.results).stackName));
  outputs(stack, {
    DashboardUrl: urlOf(api, name, domain),
    ...(domainTarget && { DomainTarget: domainTarget }),
    AccountsTable: it.accounts.tableName,
    IdentityTable: it.identity.tableName,
    UserPool: it.userPool.userPoolId,
  });
}
