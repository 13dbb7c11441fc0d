import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test, vi } from 'vitest';
import { createResources, LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { startEmulators } from '../../local/emulators.ts';
import { pollQueue } from '../../local/event-sources.ts';
import { ACCOUNT, REGION } from '../../local/template/physical.ts';
import { localFunction } from '../support/local-functions.ts';

const arnOf = (name: string) => `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;

/** A queue with a dead-letter queue and a function with this body as its consumer. */
async function polledQueue(body: string, { maximumConcurrency = 2, reports = true } = {}) {
  await using starting = new AsyncDisposableStack();
  const emulators = starting.use(await startEmulators());
  const queue = (name: string, visibilityTimeout: number, redrive = false) => ({
    name,
    url: `${emulators.sqs}/${ACCOUNT}/${name}`,
    arn: arnOf(name),
    VisibilityTimeout: visibilityTimeout,
    MessageRetentionPeriod: 60,
    DelaySeconds: 0,
    RedrivePolicy: redrive ? { deadLetterTargetArn: arnOf('dead'), maxReceiveCount: 1 } : undefined,
  });
  const [work, dead] = [queue('work', 2, true), queue('dead', 60)];
  const nothing = {
    functions: [],
    tables: [],
    buckets: [],
    secrets: [],
    routes: [],
    gatewayResponses: [],
    userPools: [],
    userPoolClients: [],
  };
  await createResources({ ...nothing, queues: [dead, work], eventSources: [], schedules: [] }, emulators);
  const probe = starting.use(
    await localFunction(`export const handler = async ({ Records }) => { ${body} };`),
  );
  // A cold start on a busy machine outlasts the visibility timeout, and handled messages would reappear.
  await probe.lambda.warmUp();
  const sqs = new SQSClient({ endpoint: emulators.sqs, region: REGION, credentials: LOCAL_CREDENTIALS });
  starting.defer(() => {
    sqs.destroy();
  });
  starting.use(
    pollQueue({
      source: {
        EventSourceArn: work.arn,
        FunctionName: 'probe',
        BatchSize: 10,
        FunctionResponseTypes: reports ? ['ReportBatchItemFailures'] : [],
        ScalingConfig: { MaximumConcurrency: maximumConcurrency },
      },
      queueUrl: work.url,
      target: probe.lambda,
      endpoint: emulators.sqs,
      report: (line) => probe.messages.push(line),
    }),
  );
  const running = starting.move();
  return {
    lines: probe.messages,
    send: (text: string) =>
      sqs.send(new SendMessageCommand({ QueueUrl: work.url, MessageBody: text, MessageGroupId: 'org' })),
    /** Bodies of the dead letters that arrive within these seconds. */
    async deadLetters(seconds: number) {
      const receive = new ReceiveMessageCommand({ QueueUrl: dead.url, WaitTimeSeconds: seconds });
      return ((await sqs.send(receive)).Messages ?? []).map(({ Body }) => Body);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const FAIL_SOME = `console.log(Records.map(({ body }) => body).join());
  return { batchItemFailures: Records.filter(({ body }) => body === 'bad').map(({ messageId }) => ({ itemIdentifier: messageId })) };`;

test('messages arrive as records with their queue attributes', async () => {
  await using queue = await polledQueue(`console.log(JSON.stringify(Records[0])); return {};`);
  await queue.send('hello');
  await vi.waitFor(() => expect(queue.lines).toHaveLength(1), { timeout: 5_000 });
  expect(JSON.parse(queue.lines[0] ?? '')).toMatchObject({
    body: 'hello',
    attributes: { ApproximateReceiveCount: '1' },
    eventSource: 'aws:sqs',
    eventSourceARN: arnOf('work'),
  });
});

test('a failed message is redelivered and dead-lettered, and the others are deleted', async () => {
  await using queue = await polledQueue(FAIL_SOME);
  await Promise.all(['good', 'bad', 'better'].map((text) => queue.send(text)));
  expect(await queue.deadLetters(10)).toEqual(['bad']);
  expect(await queue.deadLetters(2)).toEqual([]);
});

test.each([
  ['throws', `throw new Error('no');`, true],
  ['returns an invalid response', `return { batchItemFailures: [{ itemIdentifier: '' }] };`, true],
  ['names an unknown message', `return { batchItemFailures: [{ itemIdentifier: 'x' }] };`, true],
  ['dies', `process.exit(1);`, false],
])('a function that %s loses no message', async (_, body, reports) => {
  await using queue = await polledQueue(body, { reports });
  await queue.send('kept');
  expect(await queue.deadLetters(10)).toEqual(['kept']);
});

test('the mapping limits the number of concurrent batches', async () => {
  await using queue = await polledQueue(
    `console.log('begin'); await new Promise((go) => setTimeout(go, 300)); console.log('end'); return {};`,
    { maximumConcurrency: 1 },
  );
  await queue.send('1');
  await vi.waitFor(() => expect(queue.lines).toEqual(['begin']), { timeout: 5_000 });
  await queue.send('2');
  await vi.waitFor(() => expect(queue.lines).toEqual(['begin', 'end', 'begin', 'end']), { timeout: 5_000 });
});
