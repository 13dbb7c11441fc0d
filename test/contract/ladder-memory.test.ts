import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { dynamodbLadderMemory } from '../../shared/adapters/dynamodb/scrape/dynamodb-ladder-memory.ts';
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time/units.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { NOON } from '../support/world/jobs.ts';
import { describePorts } from '../support/world/ports.ts';

describePorts('ladderMemory', (ports) => {
  test('the last rung of a host is known for a day, to its organization', async () => {
    const { ladderMemory } = ports();
    const orgId = `org_${v7()}`;
    await ladderMemory.keep(orgId, 'example.com', 'premium', addMs(NOON, -HOUR_MS));
    await ladderMemory.keep(orgId, 'example.com', 'rendered', NOON);
    expect(await ladderMemory.find(orgId, 'example.com', addMs(NOON, DAY_MS - 1_000))).toBe('rendered');
    expect(await ladderMemory.find(orgId, 'example.com', addMs(NOON, DAY_MS + 1_000))).toBeUndefined();
    expect(await ladderMemory.find(orgId, 'www.example.com', NOON)).toBeUndefined();
    expect(await ladderMemory.find(`org_${v7()}`, 'example.com', NOON)).toBeUndefined();
  });

  test('an organization that scrapes by itself has no lines of it in its activity', async () => {
    const { activity, ladderMemory } = ports();
    const orgId = `org_${v7()}`;
    await ladderMemory.keep(orgId, 'example.com', 'rendered', NOON);
    expect(await activity.lines(orgId, { from: '2000', to: '3000', limit: 10 })).toEqual([]);
  });
});

test('a process reads the rung of a host once a minute', async () => {
  await using world = await emulatedWorld();
  const table = { client: world.client, table: world.tables.activity };
  const [mine, others] = [dynamodbLadderMemory(table), dynamodbLadderMemory(table)];
  expect(await mine.find('org_1', 'example.com', NOON)).toBeUndefined();
  await others.keep('org_1', 'example.com', 'rendered', NOON);
  expect(await mine.find('org_1', 'example.com', addMs(NOON, MINUTE_MS - 1))).toBeUndefined();
  expect(await mine.find('org_1', 'example.com', addMs(NOON, MINUTE_MS))).toBe('rendered');
});
