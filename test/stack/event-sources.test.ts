import { extent } from '../support/world/extent.ts';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test, vi } from 'vitest';
import { createResources, LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { startEmulators } from '../../local/emulators.ts';
import { pollQueue } from '../../local/event-sources.ts';
import { ACCOUNT, REGION } from '../../local/template/physical.ts';
import { localFunction } from '../support/stack/local-functions.ts';

const arnOf = (name: string) => `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;

type Choices = { maximumConcurrency?: number; reports?: boolean; recursiveLoop?: 'Allow' };

const SDK = import.meta.resolve('@aws-sdk/client-sqs');

/** A queue with a dead-letter queue and a function with this body as its consumer. */
async function polledQueue(body: string, choices: Choices = {}) {
  const { maximumConcurrency = 2, reports = true, recursiveLoop } = choices;
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
    await localFunction(`export const handler = async ({ Records }) => { ${body} };`, {
      ...(recursiveLoop && { recursiveLoop }),
      variables: {
        QUEUE_URL: work.url,
        AWS_ENDPOINT_URL_SQS: emulators.sqs,
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
      },
    }),
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

const FAILURES = [
  ['throws', `throw new Error('no');`, true],
  ['returns an invalid response', `return { batchItemFailures: [{ itemIdentifier: '' }] };`, true],
  ['names an unknown message', `return { batchItemFailures: [{ itemIdentifier: 'x' }] };`, true],
  ['dies', `process.exit(1);`, false],
] as const;

test.each(extent(FAILURES.slice(0, 1), FAILURES))(
  'a function that %s loses no message',
  async (_, body, reports) => {
    await using queue = await polledQueue(body, { reports });
    await queue.send('kept');
    expect(await queue.deadLetters(10)).toEqual(['kept']);
  },
);

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

/** Sends the next number to its own queue, up to 20. */
const COUNT_ON = `const { SendMessageCommand, SQSClient } = await import('${SDK}');
  const number = Number(Records[0].body);
  console.log(String(number));
  if (number < 20) await new SQSClient({}).send(new SendMessageCommand({
    QueueUrl: process.env.QUEUE_URL, MessageBody: String(number + 1), MessageGroupId: 'org' }));
  return {};`;
const numbers = (last: number) => Array.from({ length: last }, (_, index) => String(index + 1));

test('a stack stops while all invocations of a queue wait', async () => {
  const queue = await polledQueue(
    `console.log('begun'); await new Promise((end) => setTimeout(end, 12_000)); console.log('ended');`,
  );
  for (const [index, text] of ['a', 'b'].entries()) {
    await queue.send(text);
    await vi.waitFor(() => expect(queue.lines).toHaveLength(index + 1), { timeout: 8_000 });
  }
  await queue[Symbol.asyncDispose]();
  expect(queue.lines).toEqual(['begun', 'begun']);
});

test('a function that sends to its own queue is stopped after 16 turns, as Lambda does', async () => {
  await using queue = await polledQueue(COUNT_ON);
  await queue.send('1');
  expect(await queue.deadLetters(20)).toEqual(['17']);
  const refusal = 'probe: RecursiveInvocationException: probe has been invoked 16 times in this chain.';
  expect(queue.lines).toEqual([...numbers(16), refusal]);
});

test('a function whose template allows recursion continues', async () => {
  await using queue = await polledQueue(COUNT_ON, { recursiveLoop: 'Allow' });
  await queue.send('1');
  await vi.waitFor(() => expect(queue.lines).toEqual(numbers(20)), { timeout: 10_000 });
});

test('messages of other chains are not counted, even in the same queue', async () => {
  await using queue = await polledQueue(`console.log(Records.map(({ body }) => body).join()); return {};`);
  for (const number of numbers(20)) await queue.send(number);
  await vi.waitFor(() => expect(queue.lines.join().split(',').sort()).toEqual(numbers(20).sort()), {
    timeout: 5_000,
  });
});
