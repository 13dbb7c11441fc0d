import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen, type Listening } from './listen.ts';
import { REGION, ACCOUNT } from './template/physical.ts';

type Secrets = Listening & { arnOf: (name: string) => string };

/**
 * Implements GetSecretValue:
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export async function startSecrets(values: Readonly<Record<string, string>>): Promise<Secrets> {
  const arnOf = (name: string) => `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${name}`;
  const known = new Map(Object.entries(values).map(([name, value]) => [arnOf(name), value]));
  const answer = (id: unknown) => {
    const value = known.get(String(id));
    return value === undefined
      ? { status: 400, body: { __type: 'ResourceNotFoundException' } }
      : { status: 200, body: { ARN: id, SecretString: value } };
  };
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        const { status, body: sent } = answer((body as { SecretId?: unknown }).SecretId);
        response
          .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' })
          .end(JSON.stringify(sent));
      },
      () => response.destroy(),
    );
  });
  return { ...(await listen(server)), arnOf };
}
