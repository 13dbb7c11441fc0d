import type { Acknowledgment } from 'aws-cdk-lib';

/** Rules of cdk-nag that the service stack breaks, each with its reason. */
const ACKNOWLEDGED: readonly Acknowledgment[] = [
  {
    id: 'AwsSolutions-APIG2',
    reason: 'The functions validate requests, so that an error can name the field.',
  },
  {
    id: 'AwsSolutions-APIG3',
    reason: 'Callers have API keys and rate limits. A stage has a firewall where it is worth the price.',
  },
  {
    id: 'AwsSolutions-APIG4',
    reason: 'The functions check API keys, so that a 401 looks like every other error.',
  },
  { id: 'AwsSolutions-COG4', reason: 'Callers are programs with API keys, not users in a Cognito pool.' },
  {
    id: 'AwsSolutions-APIG6',
    reason: 'Execution logs contain headers and queries, including API keys. Access logs do not.',
  },
  {
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    reason: 'The account-wide role that API Gateway logs with requires this AWS policy.',
  },
  { id: 'Serverless-SQSRedrivePolicy', reason: 'This is the dead-letter queue itself.' },
  {
    id: 'Serverless-SNSRedrivePolicy',
    reason: 'The topic mails alarms. If a mail is lost, the dashboard still shows the alarm.',
  },
  {
    id: 'Serverless-LambdaDLQ',
    reason: 'Only the schedule invokes a function asynchronously, and the next run repeats the work.',
  },
  {
    id: 'Serverless-EventBusDLQ',
    reason: 'The next run, a minute later, repeats the work of a lost one.',
  },
  {
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'SQS sources support no destination. Failed messages go to the dead-letter queue.',
  },
  {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'X-Ray actions support no resource but *. CDK grants them to each traced function.',
  },
];

export const acknowledgedRules = (storageStack: string): Acknowledgment[] => [
  ...ACKNOWLEDGED,
  {
    id: `AwsSolutions-IAM5[Resource::${storageStack}:ExportsOutputFnGetAttResults25575328Arn5DD4F5AA/results/*]`,
    reason: 'Objects are named at run time. This is the narrowest pattern that matches them all.',
  },
];

/** For the browser function only. */
export const untraced: Acknowledgment = {
  id: 'Serverless-LambdaTracing',
  reason: 'Tracing needs a permission, and the function that runs untrusted pages has none.',
};
