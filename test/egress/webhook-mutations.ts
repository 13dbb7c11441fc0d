import { inFile, type Mutation } from './mutation.ts';

const POST = 'test/egress/post.test.ts';
const ROUTES = 'test/functional/webhooks.test.ts';
const DELIVERIES = 'test/functional/webhook-deliveries.test.ts';
const PORTS = 'test/contract/webhooks.test.ts';
const VAULT = 'test/contract/vault.test.ts';
const LIFE = 'test/contract/job-life.test.ts';

const sending = inFile('shared/egress/post.ts', POST);
const timing = inFile('shared/adapters/web/guarded-post.ts', POST);
const judging = inFile('shared/domain/target/target-url.ts', ROUTES);
const submitting = inFile('functions/jobs/submit-job.ts', ROUTES);
const attempting = inFile('functions/notifier/attempt-delivery.ts', DELIVERIES);
const ending = inFile('shared/domain/webhook/state.ts', DELIVERIES);
const telling = inFile('shared/use-cases/tell-of-job.ts', DELIVERIES);
const emitting = inFile('shared/use-cases/emit-event.ts', DELIVERIES);
const finding = inFile('shared/use-cases/manage-webhooks.ts', DELIVERIES);
const settling = inFile('shared/use-cases/finish-job.ts', LIFE);
const identifying = inFile('shared/domain/webhook/event.ts', LIFE);
const placing = inFile('shared/adapters/dynamodb/dynamodb-receivers.ts', PORTS);
const storing = inFile('shared/adapters/dynamodb/sorted-table.ts', PORTS);
const sealing = inFile('shared/adapters/secrets-vault.ts', VAULT);
const logging = inFile('functions/notifier/attempt-delivery.ts', DELIVERIES);

/** What keeps events inside their way out, in time and in number, and their secrets secret. */
export const webhookMutations: readonly Mutation[] = [
  sending(
    'createConnection: () => socket }',
    'createConnection: () => socket, agent: false }',
    'a receiver gets the exact body and headers, over http and TLS, on a connection of its own',
  ),
  sending(
    "  sent.once('close', () => reject(new Error('The connection was closed.')));\n",
    '',
    'a response without end or sense is a failure',
  ),
  sending('if (bytes > MAX_READ_BYTES) end();', '', 'a response of 10 MB is cut off after a few KB'),
  sending(
    'const timer = setTimeout(end, MAX_READ_MS);',
    'const timer = setTimeout(end, 10_000);',
    'a receiver that drips its body has confirmed, and is not waited for',
  ),
  timing('deadline(timeoutMs)', 'deadline(60_000)', 'a receiver that drips its headers is a timeout'),
  judging("?? (isSafe(url, policy) ? undefined : 'scheme')", '', 'of a job: http://hooks.example/'),
  submitting(
    '  await assertEndpoint(fx, orgId, webhook);\n',
    '',
    'of a job: 019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f',
  ),
  telling(
    'if (usage !== undefined && !isAwaited(job, usage)) return;',
    '',
    'costs nothing without an endpoint or a webhook',
  ),
  emitting(
    '.filter((endpoint) => endpoint.disabled === undefined)',
    '',
    'by a 410, and what waits for it is given up',
  ),
  attempting('|| endpoint.disabled) {', ') {', 'by a 410, and what waits for it is given up'),
  attempting(
    "  if (begun.outcome === 'full') return wait(fx, delivery, begun.isFailing);\n",
    '',
    'has one attempt at a time, and delays no other receiver',
  ),
  attempting(
    '  if (nextAttemptAt.getTime() - fx.now().getTime() > CLOCKS_MS) return;\n',
    '',
    'is attempted once a turn, even if the message of an earlier one arrives late',
  ),
  logging('host: URL.parse(url)?.host', 'url', 'keeps the URL of another job to itself'),
  ending('endpoint.url === undefined || ', '', 'but never "default", whose URLs are many'),
  ending(
    '    if (attempt.at.getTime() - since < FAILING_MS) return undefined;\n'.trim(),
    '',
    'by five days of nothing but failures, and enabled anew begins anew',
  ),
  ending(
    'Math.max(failingSince?.getTime() ?? Infinity, endpoint.enabledAt.getTime())',
    '(failingSince?.getTime() ?? Infinity)',
    'by five days of nothing but failures, and enabled anew begins anew',
  ),
  ending(
    'secrets.filter(({ until }) => until === undefined || until > now)',
    'secrets.filter(() => now !== undefined)',
    'and the one before both sign for a day',
  ),
  finding(
    '  refuseDefault(id);\n  await fx.accounts',
    '  await fx.accounts',
    'but never "default", whose URLs are many',
  ),
  settling('    tellOfJob(fx, job, seen),\n', '', 'jobs end correctly in memory'),
  identifying(
    'const time = at.getTime().toString(16)',
    'const time = Date.now().toString(16)',
    'jobs end correctly in memory',
  ),
  placing(
    'attribute_not_exists(in_flight.#delivery) AND ',
    '',
    'take ten attempts at once, each delivery once',
  ),
  placing(
    'size(in_flight) < :failing OR (',
    '(',
    'take one attempt at a time while all fail, and know since when',
  ),
  placing(
    'attribute_not_exists(failing_since) AND ',
    '',
    'take one attempt at a time while all fail, and know since when',
  ),
  storing(
    "ConditionExpression: 'attribute_not_exists(pk)'",
    '',
    'are added once and changed from the state that was read',
  ),
  storing(
    "ConditionExpression: 'version = :version',\n            ExpressionAttributeValues: { ':version': version },",
    'ReturnValues: version < 0 ? undefined : undefined,',
    'change only from the state that was read',
  ),
  sealing(
    'decipher.setAAD(aboutOwner(owner))',
    "decipher.setAAD(Buffer.from(''))",
    'opens what it has sealed, for the same endpoint alone',
  ),
  sealing(
    'Buffer.concat([secret, decipher.final()])',
    'secret',
    'what is sealed shows nothing, is never the same, and cannot be changed',
  ),
];
