import type { Acknowledgment } from 'aws-cdk-lib';

const X_RAY = 'X-Ray actions support no resource but *. CDK grants them to each traced function.';
const MAILS_ALARMS = 'The topic mails alarms. If a mail is lost, the dashboard still shows the alarm.';

const pagesOf = (storageStack: string) => ({
  [`AwsSolutions-IAM5[Resource::${storageStack}:ExportsOutputFnGetAttResults25575328Arn5DD4F5AA/results/*/cache/*]`]:
    'Kept pages are in a folder of their organization. This is the narrowest pattern that matches them all.',
  [`AwsSolutions-IAM5[Resource::${storageStack}:ExportsOutputFnGetAttResults25575328Arn5DD4F5AA/results/*/pictures/*]`]:
    'Pictures are in a folder of their organization. This is the narrowest pattern that matches them all.',
});

const resultsOf = (storageStack: string) => ({
  [`AwsSolutions-IAM5[Resource::${storageStack}:ExportsOutputFnGetAttResults25575328Arn5DD4F5AA/results/*]`]:
    'Objects are named at run time. This is the narrowest pattern that matches them all.',
  [`AwsSolutions-IAM5[Resource::${storageStack}:ExportsOutputFnGetAttResults25575328Arn5DD4F5AA/results/*/requests.ndjson]`]:
    'Uploads are in a folder of their batch. This is the narrowest pattern that matches them all.',
});

/** Rules of cdk-nag that the service stack breaks, each with its reason. */
const reasons = (storageStack: string): Readonly<Record<string, string>> => ({
  'AwsSolutions-APIG2': 'The functions validate requests, so that an error can name the field.',
  'AwsSolutions-APIG3':
    'Callers have API keys and rate limits. A stage has a firewall where it is worth the price.',
  'AwsSolutions-APIG4': 'The functions check API keys, so that a 401 looks like every other error.',
  'AwsSolutions-COG4': 'Callers are programs with API keys, not users in a Cognito pool.',
  'AwsSolutions-APIG6': 'Execution logs contain headers and queries, including API keys. Access logs do not.',
  'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
    'The account-wide role that API Gateway logs with requires this AWS policy.',
  'Serverless-SQSRedrivePolicy': 'This is the dead-letter queue itself.',
  'Serverless-SNSRedrivePolicy': MAILS_ALARMS,
  'Serverless-LambdaDLQ':
    'Only the schedule invokes a function asynchronously, and the next run repeats the work.',
  'Serverless-EventBusDLQ': 'The next run, a minute later, repeats the work of a lost one.',
  'Serverless-LambdaEventSourceMappingDestination':
    'SQS sources support no destination. Failed messages go to the dead-letter queue.',
  'AwsSolutions-IAM5[Resource::*]': X_RAY,
  ...resultsOf(storageStack),
  ...pagesOf(storageStack),
});

const dashboardReasons = (storageStack: string): Readonly<Record<string, string>> => ({
  'AwsSolutions-APIG2': 'The function validates forms, so that a page can show the fault.',
  'AwsSolutions-APIG3': 'Forms have rate limits. A stage has a firewall where it is worth the price.',
  'AwsSolutions-APIG4': 'The function knows sessions, so that visitors are led to sign in.',
  'AwsSolutions-COG4': 'Sessions are cookies of the dashboard. No token reaches a browser.',
  'AwsSolutions-APIG6': 'Execution logs contain cookies and passwords. Access logs do not.',
  'Serverless-LambdaDLQ': 'Only API Gateway invokes it, synchronously.',
  'Serverless-SNSRedrivePolicy': MAILS_ALARMS,
  'AwsSolutions-IAM5[Resource::*]': X_RAY,
  ...resultsOf(storageStack),
});

const acknowledged = (rules: Readonly<Record<string, string>>): Acknowledgment[] =>
  Object.entries(rules).map(([id, reason]) => ({ id, reason }));

export const acknowledgedRules = (storageStack: string) => acknowledged(reasons(storageStack));

/** Of the dashboard's stack. */
export const dashboardRules = (storageStack: string) => acknowledged(dashboardReasons(storageStack));

export const untraced: Acknowledgment = {
  id: 'Serverless-LambdaTracing',
  reason: 'Tracing needs a permission, and the function that runs untrusted pages has none.',
};
