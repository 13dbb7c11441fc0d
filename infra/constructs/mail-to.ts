import { Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export function mailTo(scope: Construct, email: string): SnsAction {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  // enforceSSL replaces the default policy, which lets the account's alarms publish.
  // https://repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
  topic.addSubscription(new EmailSubscription(email));
  return new SnsAction(topic);
}
