import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { addMs, DAY_MS, HOUR_MS } from '../../shared/time/units.ts';
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
