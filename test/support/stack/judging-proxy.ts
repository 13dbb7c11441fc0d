import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { listen } from '../../../local/listen.ts';
import { ACCOUNT, REGION } from '../../../local/template/physical.ts';
import type { JudgedCall, PolicyJudge } from './policy-judge.ts';

const Key = z.object({ pk: z.object({ S: z.string() }) });
const DynamodbBody = z.object({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  Key: Key.optional(),
  Item: Key.optional(),
  KeyConditionExpression: z.string().optional(),
  ExpressionAttributeValues: z.record(z.string(), z.object({ S: z.string().optional() })).optional(),
  /** Of a BatchGetItem of one table. */
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(Key) })).optional(),
});
type DynamodbBody = z.infer<typeof DynamodbBody>;
const COGNITO = 'AWSCognitoIdentityProviderService';
const CognitoBody = z.object({ UserPoolId: z.string() });

/** Calls in the name of users need no permission and are not signed. */
const isForUsers = ({ headers }: IncomingMessage) => String(headers['x-amz-target']).startsWith(COGNITO);

const SqsBody = z.object({ QueueUrl: z.string() });
const arn = (service: string, rest: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;

type Call = Omit<JudgedCall, 'caller'>;

/** The calls judged so far, and the refused ones. */
type Verdicts = { calls: JudgedCall[]; refused: JudgedCall[] };

/**
 * A proxy before an emulator that refuses calls that the policies do not allow. It identifies a function by
 * the id of its credentials. Calls without one pass: they come from the test and the pollers.
 */
export async function judgingProxy(target: string, judge: PolicyJudge, { calls, refused }: Verdicts) {
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const caller = /Credential=([^/]+)\//.exec(incoming.headers.authorization ?? '')?.[1] ?? 'nobody';
    const isOpen = caller === 'local' || (caller === 'nobody' && isForUsers(incoming));
    const call = isOpen ? undefined : { caller, ...callOf(incoming, body) };
    if (call) calls.push(call);
    if (call && !judge.allows(call)) {
      refused.push(call);
      deny(response, call);
    } else pass(target, incoming, body, response);
  }

  return listen(server);
}

/** A request's action and resource, as IAM policies name them. Throws on unknown ones. */
function callOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Call {
  const [service = '', operation = ''] = String(headers['x-amz-target'] ?? '').split('.');
  if (service.startsWith('DynamoDB_')) return dynamodbCall(operation, body);
  if (service === COGNITO) {
    const { UserPoolId } = CognitoBody.parse(JSON.parse(body.toString()));
    return { action: `cognito-idp:${operation}`, resource: arn('cognito-idp', `userpool/${UserPoolId}`) };
  }
  if (service === 'AmazonSQS') {
    const { QueueUrl } = SqsBody.parse(JSON.parse(body.toString()));
    return {
      action: `sqs:${operation.replace(/Batch$/, '')}`,
      resource: arn('sqs', QueueUrl.split('/').at(-1) ?? ''),
    };
  }
  const { pathname, searchParams } = new URL(url, 'http://service');
  const [, name] = /^\/[\d-]+\/functions\/([^/]+)\/(?:response-streaming-)?invocations$/.exec(pathname) ?? [];
  if (name)
    return {
      action: 'lambda:InvokeFunction',
      resource: arn('lambda', `function:${decodeURIComponent(name)}`),
    };
  return s3Call(method, decodeURIComponent(pathname), searchParams);
}

function dynamodbCall(operation: string, body: Buffer): Call {
  const sent = DynamodbBody.parse(JSON.parse(body.toString()));
  const { TableName, IndexName, Key: key, Item: item, RequestItems = {} } = sent;
  const [batched, { Keys: keys } = { Keys: [] }] = Object.entries(RequestItems)[0] ?? [];
  const index = IndexName === undefined ? '' : `/index/${IndexName}`;
  const leadingKeys = [...[key, item, ...keys].flatMap((it) => it?.pk.S ?? []), ...partitionOf(sent)];
  return {
    action: `dynamodb:${operation}`,
    resource: arn('dynamodb', `table/${TableName ?? batched ?? ''}${index}`),
    leadingKeys,
  };
}

/** The partition that a query reads. Our expressions name it first. */
function partitionOf({
  KeyConditionExpression = '',
  ExpressionAttributeValues = {},
}: DynamodbBody): string[] {
  const [, value = ''] = /^\S+ = (:\w+)/.exec(KeyConditionExpression) ?? [];
  return [ExpressionAttributeValues[value]?.S ?? []].flat();
}

function s3Call(method: string, path: string, query: URLSearchParams): Call {
  const isOfObject = path.split('/').length > 2;
  const resource = `arn:aws:s3:::${path.slice(1).replace(/\/$/, '')}`;
  if (!isOfObject) return { action: 's3:ListBucket', resource };
  const byMethod: Readonly<Record<string, string>> = {
    GET: 's3:GetObject',
    HEAD: 's3:GetObject',
    PUT: 's3:PutObject',
    POST: 's3:PutObject',
    DELETE: query.has('uploadId') ? 's3:AbortMultipartUpload' : 's3:DeleteObject',
  };
  return { action: byMethod[method] ?? `s3:${method}`, resource };
}

function deny(response: ServerResponse, { caller, action, resource }: JudgedCall): void {
  const message = `${caller} is not authorized to perform: ${action} on resource: ${resource}`;
  const isXml = action.startsWith('s3:');
  const type = isXml ? 'application/xml' : 'application/json';
  response.writeHead(403, { 'Content-Type': type, 'X-Amzn-ErrorType': 'AccessDeniedException' });
  response.end(
    isXml
      ? `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`
      : JSON.stringify({ __type: 'AccessDeniedException', message }),
  );
}

function pass(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const onwards = request(new URL(url ?? '/', target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onwards.on('error', () => response.destroy()).end(body);
  response.on('close', () => onwards.destroy());
}
