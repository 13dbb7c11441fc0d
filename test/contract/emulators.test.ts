import { CreateTableCommand, DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { startEmulators } from '../../local/emulators.ts';
import { REGION } from '../../local/template/physical.ts';

const [ROUNDS, WRITES] = [20, 40];
const TableName = 'items';

test('the emulators close while clients write, without an exception of their own', async () => {
  const thrown: unknown[] = [];
  const note = (error: unknown) => thrown.push(error);
  process.on('uncaughtException', note);
  for (let round = 0; round < ROUNDS; round += 1) await closeWhileWriting();
  process.off('uncaughtException', note);
  expect(thrown).toEqual([]);
});

async function closeWhileWriting(): Promise<void> {
  const emulators = await startEmulators();
  const client = new DynamoDBClient({
    endpoint: emulators.dynamodb,
    region: REGION,
    credentials: LOCAL_CREDENTIALS,
    maxAttempts: 1,
  });
  const KeySchema = [{ AttributeName: 'id', KeyType: 'HASH' as const }];
  const AttributeDefinitions = [{ AttributeName: 'id', AttributeType: 'S' as const }];
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema,
      AttributeDefinitions,
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  const writes = Array.from({ length: WRITES }, (_, n) => {
    const Key = { id: { S: String(n) } };
    return client.send(new UpdateItemCommand({ TableName, Key, AttributeUpdates: {} }));
  });
  const ended = Promise.allSettled(writes);
  await Promise.race(writes);
  await emulators[Symbol.asyncDispose]();
  await ended;
  client.destroy();
}
