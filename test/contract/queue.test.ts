import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { emulatedWorld } from '../support/emulated-world.ts';
import { inMemoryQueue } from '../support/in-memory-world.ts';

test('the queue in memory delivers the sent messages', async () => {
  const queue = inMemoryQueue();
  await queue.send({ id: 'a', orgId: 'org_1' });
  expect(queue.take()).toEqual([{ jobId: 'a' }]);
  expect(queue.take()).toEqual([]);
});

test('the queue on the emulator delivers the id of the job', async () => {
  await using world = await emulatedWorld();
  await world.queue.send({ id: 'a', orgId: 'org_1' });
  const { Messages = [] } = await world.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: world.queueUrl,
      WaitTimeSeconds: 5,
    }),
  );
  expect(Messages.map(({ Body }) => Body)).toEqual(['{"jobId":"a"}']);
});
