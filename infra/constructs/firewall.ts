import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Stage } from '../stages.ts';

/**
 * AWS's common rules about query, body and headers. Scrape requests contain URLs, selectors and headers for
 * the target, so these rules would block legitimate requests; they only count.
 * https://docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html
 */
const ONLY_COUNTING = [
  'NoUserAgent_HEADER',
  'UserAgent_BadBots_HEADER',
  'SizeRestrictions_QUERYSTRING',
  'SizeRestrictions_BODY',
  'EC2MetaDataSSRF_BODY',
  'EC2MetaDataSSRF_QUERYARGUMENTS',
  'GenericLFI_QUERYARGUMENTS',
  'GenericLFI_BODY',
  'RestrictedExtensions_QUERYARGUMENTS',
  'GenericRFI_QUERYARGUMENTS',
  'GenericRFI_BODY',
  'CrossSiteScripting_QUERYARGUMENTS',
  'CrossSiteScripting_BODY',
];

/** An Authorization header with a well-formed API key, in lower case. The functions verify its checksum. */
export const WELL_FORMED_KEY = '^bearer +sf_(live|test)_[0-9a-z]{12}_[0-9a-z]{38} *$';

/** Requests of one address a minute, by the name of their rule. */
type Rate = { name: string; perMinute: number; only?: CfnWebACL.StatementProperty };

type Options = { name: string; rates: readonly Rate[]; logs: Stage['logs'] };

/** Blocks addresses of bad reputation, known attacks on the path, and addresses over a rate limit. */
export function firewall(api: RestApi, { name, rates, logs }: Options): void {
  const scope = Stack.of(api);
  const acl = new CfnWebACL(scope, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibility('Firewall'),
    rules: [
      managed(0, 'AWSManagedRulesAmazonIpReputationList'),
      managed(1, 'AWSManagedRulesCommonRuleSet', ONLY_COUNTING),
      ...rates.map((rate, index) => perAddress(2 + index, rate)),
    ],
  });
  new CfnWebACLAssociation(scope, 'FirewallAssociation', {
    webAclArn: acl.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
  logBlocked(acl, `aws-waf-logs-sitefetch-${name}`, logs);
}

const withoutKey: CfnWebACL.StatementProperty = {
  notStatement: {
    statement: {
      regexMatchStatement: {
        fieldToMatch: { singleHeader: { Name: 'authorization' } },
        regexString: WELL_FORMED_KEY,
        textTransformations: [{ priority: 0, type: 'LOWERCASE' }],
      },
    },
  },
};

/** The API's rates: for all requests, and for requests without a key. */
export const apiRates = (limits: NonNullable<Stage['firewall']>): Rate[] => [
  { name: 'TooManyRequests', perMinute: limits.requestsPerMinute },
  { name: 'TooManyWithoutKey', perMinute: limits.withoutKeyPerMinute, only: withoutKey },
];

function perAddress(priority: number, { name, perMinute, only }: Rate): CfnWebACL.RuleProperty {
  const rate = { aggregateKeyType: 'IP', evaluationWindowSec: 60, limit: perMinute };
  return {
    name,
    priority,
    statement: { rateBasedStatement: { ...rate, ...(only && { scopeDownStatement: only }) } },
    action: { block: {} },
    visibilityConfig: visibility(name),
  };
}

function managed(priority: number, name: string, onlyCounting: string[] = []): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: onlyCounting.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    overrideAction: { none: {} },
    visibilityConfig: visibility(name),
  };
}

/** Without sampled requests, as the console would show API keys and URLs. */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

/** Logs blocked requests with their rule, but without keys and queries, which are secrets and targets. */
function logBlocked(acl: CfnWebACL, logGroupName: string, { retention }: Stage['logs']): void {
  const { stack } = acl;
  const logGroup = new LogGroup(stack, 'FirewallLogs', {
    // WAF requires this prefix: https://docs.aws.amazon.com/waf/latest/developerguide/logging-cw-logs.html
    logGroupName,
    retention,
    // Always deleted with the stack, as its fixed name would block the next deployment.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const logging = new CfnLoggingConfiguration(stack, 'FirewallLogging', {
    resourceArn: acl.attrArn,
    // WAF rejects the `:*` at the end of a log group's own ARN.
    logDestinationConfigs: [
      stack.formatArn({
        service: 'logs',
        resource: 'log-group',
        resourceName: logGroupName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    ],
    redactedFields: [{ singleHeader: { Name: 'authorization' } }, { queryString: {} }],
    loggingFilter: {
      DefaultBehavior: 'DROP',
      Filters: [
        {
          Behavior: 'KEEP',
          Requirement: 'MEETS_ANY',
          Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
        },
      ],
    },
  });
  logging.node.addDependency(logGroup);
}
