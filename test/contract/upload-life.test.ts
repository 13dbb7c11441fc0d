import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmulators } from '../../local/emulators.ts';
import { AppError } from '../../shared/errors.ts';
import { serviceOver } from '../support/world/api.ts';
import { dynamodbWorld, type DynamodbWorld } from '../support/world/dynamodb-world.ts';
import { accountsOf } from '../support/world/in-memory-accounts.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const BATCHES = '/api/v1/scraper/batches';
const MINUTE_MS = 60_000;

const stack = new AsyncDisposableStack();
let storage: DynamodbWorld;
beforeAll(async () => {
  const emulators = stack.use(await startEmulators());
  storage = stack.use(await dynamodbWorld(emulators.dynamodb));
});
afterAll(() => stack.disposeAsync());

/** A service on DynamoDB with an upload of these lines, which is started. */
async function open(lines: readonly string[]) {
  const memory = inMemoryWorld();
  const { batches, chunks } = storage;
  const world = { ...memory, ...accountsOf(storage), batches, chunks: { ...memory.chunks, ...chunks } };
  const service = serviceOver(world);
  const { key } = await service.organization({ overrides: { concurrency: 10, credits: 1_000 } });
  const { json } = await service.post(BATCHES, key, { input: 'upload' });
  const path = `${BATCHES}/${String(json['batch_id'])}`;
  world.uploads.send(String(json['upload_url']), lines.join('\n'));
  const start = () => service.ask(`${path}/start`, { method: 'POST', key });
  const shown = async () => (await service.ask(path, { key })).json;
  return { world, service, start, shown };
}

const urlOf = (name: number | string) => `https://example.com/${name}`;
const lineOf = (name: number | string) => JSON.stringify({ url: urlOf(name) });

test.each([
  ['are all invalid', ['x', '{}', '[]'], { invalid: 3 }],
  ['are all tried again, in vain', ['down', 'down'].map(lineOf), { failed: 2 }],
  [
    'are of all kinds',
    ['x', ...['up', 'down', 'gone', 'up'].map(lineOf)],
    { invalid: 1, completed: 2, failed: 2 },
  ],
])('an upload ends whose lines %s', async (_, lines, counts) => {
  const { world, service, start, shown } = await open(lines);
  world.web[urlOf('up')] = page('page');
  world.web[urlOf('down')] = new AppError('connect_failed');
  world.web[urlOf('gone')] = new AppError('tls_failed');
  await start();
  for (let minute = 0; minute < 4; minute++) {
    await service.work();
    world.pass(MINUTE_MS);
    await service.sweepBacklogs();
  }
  expect(await shown()).toMatchObject({ status: 'completed', counts: { pending: 0, running: 0, ...counts } });
});
