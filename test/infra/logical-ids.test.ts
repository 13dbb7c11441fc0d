import { expect, test } from 'vitest';
import { ofType, synthesised } from './synthesised.ts';

const { service, storage, identity, dashboard } = await synthesised();

/** A changed id replaces the resource: data, an address or a log is lost, or a documented command fails. */
const kept = {
  'AWS::DynamoDB::Table': ['AccountsBE8A900E', 'Activity04690B0A', 'JobsDF1CC2D4', 'WebhooksA50342DA'],
  'AWS::SecretsManager::Secret': ['WebhookKeyFF363931'],
  'AWS::S3::Bucket': ['Results25575328'],
  'AWS::SQS::Queue': ['DeadLettersBBF8BAAB', 'DeadNoticesCCB493CC', 'NoticesCD1BD20F', 'Queue4A7E3555'],
  'AWS::ApiGateway::RestApi': ['ApiF70053CD'],
  'AWS::Lambda::Function': [
    'AccountFunction7620283F',
    'BatchesFunction3050A82D',
    'BrowserFunction451189EC',
    'CrawlsFunction3B3421AE',
    'JobsFunction0F6DA2A5',
    'McpFunctionD30E3E93',
    'MetaFunctionCF7B2E15',
    'NotifierFunctionAF3DBB87',
    'ScraperFunction0AF9BB48',
    'SweeperFunction15FDF226',
    'WebhooksFunctionC960FF48',
    'WorkerFunctionAF8A26AF',
  ],
  'AWS::Logs::LogGroup': [
    'AccessLogs8B620ECA',
    'AccountLogsB90DE9C1',
    'BatchesLogs012F2203',
    'BrowserLogs904E171B',
    'CrawlsLogsD25C2AA4',
    'JobsLogs6D40247A',
    'McpLogs4DA55288',
    'MetaLogs80FD71C7',
    'NotifierLogsEC358FAB',
    'ScraperLogs23DA6D56',
    'SweeperLogs964BB71D',
    'WebhooksLogs2491A35F',
    'WorkerLogs4B5B6506',
  ],
};

const keptForPeople = {
  'AWS::Cognito::UserPool': ['Users0A0EEA89'],
  'AWS::Cognito::UserPoolClient': ['UsersDashboard7EAF41D0'],
  'AWS::DynamoDB::Table': ['Identity2D60E2CC'],
  'AWS::ApiGateway::RestApi': ['ApiF70053CD'],
};

test.each(Object.entries(keptForPeople))(
  'keeps the logical ids of every %s of the dashboard',
  (type, ids) => {
    const found = [identity, dashboard].flatMap((stack) => ofType(stack, type).map(([id]) => id));
    expect(found.sort()).toEqual(ids);
  },
);

test.each(Object.entries(kept))('keeps the logical ids of every %s', (type, ids) => {
  const found = [storage, service].flatMap((stack) => ofType(stack, type).map(([id]) => id));
  expect(found.sort()).toEqual(ids);
});
