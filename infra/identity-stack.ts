import { type App, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  FeaturePlan,
  Mfa,
  UserPool,
  type UserPoolClient,
  UserPoolEmail,
  VerificationEmailStyle,
} from 'aws-cdk-lib/aws-cognito';
import { AttributeType, type Table } from 'aws-cdk-lib/aws-dynamodb';
import { onDemandTable, type StoredTable } from './constructs/tables.ts';
import { CODE_MAIL } from '../shared/domain/people/code-mail.ts';
import type { StageName } from './stage-names.ts';
import type { Stage } from './stages.ts';

/** Who may use the dashboard. Only its function reaches any of this. */
export type Identity = { identity: StoredTable; userPool: UserPool; userPoolClient: UserPoolClient };

/** User pool and memberships, in a separate stack that outlives the others. */
export function identityStack(app: App, name: StageName, stage: Stage): Identity {
  const stack = new Stack(app, `sitefetch-${name}-identity`, {
    description: 'Sitefetch: users and their memberships.',
    terminationProtection: stage.terminationProtection,
  });
  const identity = onDemandTable(stack, 'Identity', stage, 'expires_at');
  membersByOrganization(identity);
  const userPool = usersOf(stack, name, stage);
  const userPoolClient = userPool.addClient('Dashboard', {
    // Otherwise anyone could sign up and guess passwords past the dashboard's limits.
    generateSecret: true,
    authFlows: { userPassword: true },
    preventUserExistenceErrors: true,
    enableTokenRevocation: true,
    disableOAuth: true,
    // Tokens are used at once and dropped; these are the shortest times that Cognito accepts.
    accessTokenValidity: Duration.minutes(5),
    idTokenValidity: Duration.minutes(5),
    refreshTokenValidity: Duration.hours(1),
  });
  return { identity, userPool, userPoolClient };
}

function membersByOrganization(table: Table): void {
  table.addGlobalSecondaryIndex({
    indexName: 'by_org',
    partitionKey: { name: 'org_id', type: AttributeType.STRING },
    sortKey: { name: 'pk', type: AttributeType.STRING },
  });
}

function usersOf(stack: Stack, name: StageName, { tables, mail }: Stage): UserPool {
  const pool = new UserPool(stack, 'Users', {
    userPoolName: `sitefetch-${name}`,
    featurePlan: FeaturePlan.ESSENTIALS,
    selfSignUpEnabled: true,
    signInAliases: { email: true },
    signInCaseSensitive: false,
    autoVerify: { email: true },
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    mfa: Mfa.OFF,
    // The same as shared/domain/people/password.ts.
    passwordPolicy: {
      minLength: 12,
      requireDigits: false,
      requireLowercase: false,
      requireSymbols: false,
      requireUppercase: false,
    },
    userVerification: {
      emailStyle: VerificationEmailStyle.CODE,
      emailSubject: CODE_MAIL.subject,
      emailBody: CODE_MAIL.text('{####}'),
    },
    email: mail ? throughSes(mail) : UserPoolEmail.withCognito(),
    removalPolicy: tables.removalPolicy,
    deletionProtection: tables.deletionProtection,
  });
  Validations.of(pool).acknowledge(
    {
      id: 'AwsSolutions-COG1',
      reason: 'Length counts, rules about kinds of characters do not: NIST SP 800-63B, 3.1.1.2.',
    },
    { id: 'AwsSolutions-COG2', reason: 'The dashboard has no second factor yet.' },
    { id: 'AwsSolutions-COG3', reason: 'Threat protection needs the Plus plan. The forms have rate limits.' },
    { id: 'AwsSolutions-COG8', reason: 'The Plus plan costs per user, and adds what the forms do not use.' },
  );
  return pool;
}

const throughSes = ({ from, domain, region }: NonNullable<Stage['mail']>) =>
  UserPoolEmail.withSES({
    fromEmail: from,
    fromName: 'Sitefetch',
    sesVerifiedDomain: domain,
    sesRegion: region,
  });
