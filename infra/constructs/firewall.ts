import { Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';

/**
 * AWS's common rules that look into query, body or headers. A scrape's hold URLs, selectors and headers for somebody
 * else's site, so these would refuse what the API is there for; they only count.
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

/** Keeps out addresses of bad repute, known attacks on the path, and whoever sends more than so many requests a minute. */
export function firewall(api: RestApi, { requestsPerMinute }: { requestsPerMinute: number }): void {
  const scope = Stack.of(api);
  const acl = new CfnWebACL(scope, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibility('Firewall'),
    rules: [
      managed(0, 'AWSManagedRulesAmazonIpReputationList'),
      managed(1, 'AWSManagedRulesCommonRuleSet', ONLY_COUNTING),
      {
        name: 'TooManyRequests',
        priority: 2,
        statement: {
          rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: 60, limit: requestsPerMinute },
        },
        action: { block: {} },
        visibilityConfig: visibility('TooManyRequests'),
      },
    ],
  });
  new CfnWebACLAssociation(scope, 'FirewallAssociation', {
    webAclArn: acl.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
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

/** No sampled requests: the console would show API keys and URLs. */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
