import { S3Client } from '@aws-sdk/client-s3';
import { documentClient, queueClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { cognitoClient, cognitoIdentities } from '../../shared/adapters/cognito-identities.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/accounts/dynamodb-activity.ts';
import { dynamodbJobStore } from '../../shared/adapters/dynamodb/jobs/dynamodb-job-store.ts';
import { dynamodbPeople } from '../../shared/adapters/dynamodb/people/dynamodb-people.ts';
import { dynamodbVisits } from '../../shared/adapters/dynamodb/people/dynamodb-visits.ts';
import { emission } from '../../shared/adapters/emission.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { s3Results } from '../../shared/adapters/s3-results.ts';
import { secretsClient, secretsVault } from '../../shared/adapters/secrets-vault.ts';
import { readEnv } from '../../shared/config.ts';
import { dashboardFunction } from './serve.ts';

const config = readEnv('dashboard');
const { log, count, watch } = instruments('dashboard', config);
const client = documentClient();
const activity = dynamodbActivity({ client, table: config.ACTIVITY_TABLE });
const identity = { client, table: config.IDENTITY_TABLE };
const { USER_POOL_ID: userPoolId, USER_POOL_CLIENT_ID: clientId } = config;

export const handler = dashboardFunction(
  {
    ...clock,
    count,
    accounts: dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch, endOf: activity.endOf }),
    activity,
    ...dynamodbJobStore({ client, table: config.JOBS_TABLE }),
    ...emission(client, queueClient(), config),
    vault: secretsVault(secretsClient(), config.WEBHOOK_KEY_ARN),
    results: s3Results({ client: new S3Client(), bucket: config.RESULTS_BUCKET }),
    identities: cognitoIdentities({ client: cognitoClient(), userPoolId, clientId }),
    people: dynamodbPeople(identity),
    visits: dynamodbVisits(identity),
    apiUrl: config.API_URL,
    dashboardUrl: config.DASHBOARD_URL,
    examplePage: config.DEMO_PAGE,
    signUpPolicy: config.SIGN_UP,
    webhookUrls: { allow: config.EGRESS_ALLOW, refuse: [new URL(config.API_URL).hostname] },
  },
  log,
);
