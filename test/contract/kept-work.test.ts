import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { startEmulators } from '../../local/emulators.ts';
import { releaseKeptWork } from '../../local/release-kept-work.ts';
import { REGION } from '../../local/template/physical.ts';
import { changed, crawlMustPlan, leased } from '../../shared/domain/crawls/crawl-state.ts';
import { storedCrawl } from '../support/life/crawl-waves.ts';
import { dynamodbWorld, type DynamodbWorld } from '../support/world/dynamodb-world.ts';

const stack = new AsyncDisposableStack();
let storage: DynamodbWorld;
let client: DynamoDBClient;
beforeAll(async () => {
  const { dynamodb: endpoint, ...emulators } = await startEmulators();
  stack.use(emulators);
  storage = stack.use(await dynamodbWorld(endpoint));
  const options = { endpoint, region: REGION, credentials: LOCAL_CREDENTIALS };
  client = stack.adopt(new DynamoDBClient(options), (it) => it.destroy());
});
afterAll(() => stack.disposeAsync());

test('after a restart nobody merges a crawl or has a place at a host, and pauses stay', async () => {
  const { crawls, targetHosts, tables } = storage;
  const [crawl, ended] = [storedCrawl(v7()), storedCrawl(v7())];
  for (const each of [crawl, ended]) await crawls.create(each);
  await crawls.replace(crawl, leased(crawl, new Date()));
  await crawls.replace(ended, changed(ended, { dueAt: undefined, leasedUntil: undefined }, new Date()));
  const own = { places: { 'chunk~1': Date.now() + 60_000 }, pauses: 1, pausedUntil: Date.now() + 30_000 };
  const host = { host: 'shop.example', version: 1, crawls: { [crawl.id]: own } };
  await targetHosts.replace(undefined, host, new Date(Date.now() + 60_000));
  expect(await releaseKeptWork(client, tables)).toEqual({ jobs: 0, unfinished: 0, released: 2 });
  const kept = await crawls.find(crawl.id);
  expect(kept && crawlMustPlan(kept, new Date())).toBe(true);
  expect((await crawls.due(new Date(), 10)).map(({ id }) => id)).toEqual([crawl.id]);
  expect((await targetHosts.find('shop.example'))?.crawls).toEqual({ [crawl.id]: { ...own, places: {} } });
});
