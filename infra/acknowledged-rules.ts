import type { Acknowledgment } from 'aws-cdk-lib';

/** Rules of cdk-nag that the service stack does not follow, each with its reason. */
export const acknowledgedRules = (storageStack: string): Acknowledgment[] => [
  {
    id: 'AwsSolutions-APIG2',
    reason: 'The functions validate requests, so that an error names the field at fault.',
  },
  {
    id: 'AwsSolutions-APIG3',
    reason:
      'Callers have API keys and rate limits; where a firewall is not worth its price, the stage has none.',
  },
  {
    id: 'AwsSolutions-APIG4',
    reason: 'The functions check API keys, so that 401 has the shape of every other error.',
  },
  { id: 'AwsSolutions-COG4', reason: 'Callers are programs with API keys, not users of a Cognito pool.' },
  {
    id: 'AwsSolutions-APIG6',
    reason: 'Execution logs hold headers and queries, API keys among them; access logs do not.',
  },
  {
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    reason: 'The account-wide role by which API Gateway writes logs takes this policy of AWS.',
  },
  {
    id: `AwsSolutions-IAM5[Resource::${storageStack}:ExportsOutputFnGetAttResults25575328Arn5DD4F5AA/results/*]`,
    reason: 'Objects are named at run time; this is the narrowest pattern that all of them match.',
  },
  { id: 'Serverless-SQSRedrivePolicy', reason: 'The queue in question is the dead-letter queue itself.' },
  {
    id: 'Serverless-SNSRedrivePolicy',
    reason: 'Alarms are mailed; a mail that was lost leaves the alarm on the dashboard.',
  },
  {
    id: 'Serverless-LambdaDLQ',
    reason: 'Only the schedule invokes a function asynchronously, and its next tick repeats what one lost.',
  },
  {
    id: 'Serverless-EventBusDLQ',
    reason: 'A tick that was lost is made good by the next one, a minute later.',
  },
  {
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'SQS sources take no destination: what fails is redriven to the dead-letter queue.',
  },
  {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Traces are sent to no resource: X-Ray takes its two actions on * alone, and CDK writes them for each function.',
  },
];

/** Of the browser function alone. */
export const untraced: Acknowledgment = {
  id: 'Serverless-LambdaTracing',
  reason: 'Traces would need a permission, and the function that meets strangers has none.',
};
