import { expect, test } from 'vitest';
import { serviceOver } from '../support/api.ts';
import { dynamodbWorld } from '../support/dynamodb-world.ts';
import { inMemoryWorld } from '../support/in-memory-world.ts';
import { page } from '../support/pages.ts';
import { startEmulators } from '../../local/emulators.ts';

const LINES = 250;
const WRITES = ['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand'];

test('a request of an upload costs less than one write', async () => {
  await using emulators = await startEmulators();
  await using storage = await dynamodbWorld(emulators.dynamodb);
  const memory = inMemoryWorld();
  const world = {
    ...memory,
    accounts: storage.accounts,
    batches: storage.batches,
    chunks: { ...memory.chunks, ...storage.chunks },
  };
  const service = serviceOver(world);
  const { key } = await service.organization({ overrides: { concurrency: 10, credits: 1_000 } });
  const batches = '/api/v1/scraper/batches';
  const { json } = await service.post(batches, key, { input: 'upload' });
  const path = `${batches}/${String(json['batch_id'])}`;
  const urls = Array.from({ length: LINES }, (_, n) => `https://example.com/${n}`);
  for (const url of urls) world.web[url] = page('page');
  world.uploads.send(String(json['upload_url']), urls.map((url) => JSON.stringify({ url })).join('\n'));
  const before = storage.calls.length;
  await service.ask(`${path}/start`, { method: 'POST', key });
  await service.work();
  await service.work();
  const writes = storage.calls.slice(before).filter((name) => WRITES.includes(name));
  const shown = await service.ask(path, { key });
  expect(shown.json).toMatchObject({
    status: 'completed',
    counts: { completed: LINES },
    credits_used: LINES,
  });
  expect(writes.length / LINES).toBeLessThan(0.4);
});
