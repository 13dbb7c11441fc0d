import { ChangeMessageVisibilityCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { sqsInbox } from '../../shared/adapters/sqs-queues.ts';
import { readJobMessage } from '../../shared/contract/scrape/messages.ts';
import { type EmulatedWorld, emulatedWorld } from '../support/world/emulated-world.ts';
import { inMemoryQueue } from '../support/world/in-memory-world.ts';

const JOB = { id: '019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f', orgId: 'org_1' };

test('the queue in memory delivers the sent messages', async () => {
  const queue = inMemoryQueue();
  expect(await queue.hasMessages()).toBe(false);
  await queue.send(JOB, 5);
  expect(await queue.hasMessages()).toBe(false);
  await queue.send(JOB);
  await queue.wake('org_1');
  expect(await queue.hasMessages()).toBe(true);
  expect(queue.take()).toEqual([{ jobId: JOB.id }, { jobId: JOB.id }, { orgId: 'org_1' }]);
  expect(queue.take()).toEqual([]);
});

/** What the messages that are visible now say. */
async function receive({ sqs, queueUrl }: EmulatedWorld, WaitTimeSeconds: number) {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body = '' }) => readJobMessage(Body));
}

test('the queue on the emulator delivers jobs, and organizations whose jobs wait', async () => {
  await using world = await emulatedWorld();
  expect(await world.queue.hasMessages()).toBe(false);
  await world.queue.send(JOB);
  expect(await world.queue.hasMessages()).toBe(true);
  expect(await receive(world, 5)).toEqual([{ jobId: JOB.id }]);
  await world.queue.wake('org_1');
  expect(await receive(world, 5)).toEqual([{ orgId: 'org_1' }]);
  expect(await world.queue.hasMessages()).toBe(false);
});

test('the queue on the emulator delivers a delayed message after its delay', async () => {
  await using world = await emulatedWorld();
  const sentAt = Date.now();
  await world.queue.send(JOB, 1);
  expect(await world.queue.hasMessages()).toBe(false);
  expect(await receive(world, 10)).toEqual([{ jobId: JOB.id }]);
  expect(Date.now() - sentAt).toBeGreaterThanOrEqual(900);
});

test('messages of an inbox return unless they are removed, on the emulator', async () => {
  await using world = await emulatedWorld();
  const inbox = sqsInbox({ client: world.sqs, queueUrl: world.queueUrl });
  expect(await inbox.receive(10)).toEqual([]);
  for (let n = 0; n < 3; n += 1) await world.queue.wake(`org_${n}`);
  const received = await inbox.receive(2);
  expect(received).toHaveLength(2);
  const rest = await inbox.receive(10);
  expect(rest).toHaveLength(1);
  expect([...received, ...rest].map(({ body }) => readJobMessage(body))).toEqual(
    expect.arrayContaining([0, 1, 2].map((n) => ({ orgId: `org_${n}` }))),
  );
  const [kept, ...removed] = received.concat(rest);
  for (const { receiptHandle } of removed) await inbox.remove(receiptHandle);
  const again = { QueueUrl: world.queueUrl, ReceiptHandle: kept?.receiptHandle, VisibilityTimeout: 0 };
  await world.sqs.send(new ChangeMessageVisibilityCommand(again));
  expect((await inbox.receive(10)).map(({ messageId }) => messageId)).toEqual([kept?.messageId]);
});
