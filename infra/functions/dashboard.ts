import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import type { SignUpPolicy } from '../../shared/domain/people/sign-up-policy.ts';
import { serviceFunction } from '../constructs/service-function.ts';
import { dashboardPermissions } from '../permissions.ts';
import type { DashboardResources } from '../resources.ts';
import { playgroundVariables } from '../playground.ts';

/** Serves the pages of the dashboard. */
export function dashboardFunction(it: DashboardResources): Function {
  return serviceFunction(it, 'dashboard', {
    // Sign-up mails a code while the browser waits.
    timeout: Duration.seconds(20),
    architecture: Architecture.ARM_64,
    environment: {
      ACCOUNTS_TABLE: it.accounts.tableName,
      ACTIVITY_TABLE: it.activity.tableName,
      JOBS_TABLE: it.jobs.tableName,
      RESULTS_BUCKET: it.results.bucketName,
      WEBHOOKS_TABLE: it.webhooks.tableName,
      JOBS_QUEUE_URL: it.queue.queueUrl,
      NOTICES_QUEUE_URL: it.notices.queueUrl,
      WEBHOOK_KEY_ARN: it.webhookKey.secretArn,
      IDENTITY_TABLE: it.identity.tableName,
      USER_POOL_ID: it.userPool.userPoolId,
      USER_POOL_CLIENT_ID: it.userPoolClient.userPoolClientId,
      API_URL: it.apiUrl,
      ...playgroundVariables(it.stage),
      SIGN_UP: policyText(it.stage.signUp),
    },
    permissions: dashboardPermissions(it),
  });
}

const policyText = (policy: SignUpPolicy) =>
  typeof policy === 'string' ? policy : `domains:${policy.domains.join()}`;
