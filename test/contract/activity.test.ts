import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { ActivityLine } from '../../shared/contract/accounts/activity.ts';
import { shortId } from '../../shared/domain/accounts/credits/short-id.ts';
import { NOON, storedOrganization } from '../support/world/jobs.ts';
import { describePorts } from '../support/world/ports.ts';

const SECOND_MS = 1_000;
const ALWAYS = { from: '2026', to: '2027' };
const later = (seconds: number) => new Date(NOON.getTime() + seconds * SECOND_MS);

function lineAt(time: Date, more: Partial<ActivityLine> = {}): ActivityLine {
  return {
    time,
    orgId: 'org_1',
    keyId: 'key_1',
    id: v7({ msecs: time.getTime() }),
    type: 'scrape',
    url: 'https://example.com/',
    host: 'example.com',
    options: { render_js: true },
    targetStatus: 200,
    credits: 5,
    reason: 'page',
    ms: 400,
    ...more,
  };
}

describePorts('activity', (ports) => {
  test('is kept by organization and listed newest first, once', async () => {
    const { activity } = ports();
    const orgId = `org_${v7()}`;
    const lines = [0, 1, 2, 3, 4].map((seconds) => lineAt(later(seconds), { orgId }));
    for (const line of [...lines, ...lines]) await activity.record(line);
    await activity.record(lineAt(NOON, { orgId: 'org_2' }));
    const listed = await activity.lines(orgId, { ...ALWAYS, limit: 10 });
    expect(listed.map(({ line }) => line)).toEqual(lines.toReversed());
    const [, , third] = listed;
    const older = await activity.lines(orgId, { ...ALWAYS, before: third?.position, limit: 1 });
    expect(older).toEqual([listed[3]]);
    const range = { from: later(1).toISOString(), to: later(3).toISOString(), limit: 10 };
    expect((await activity.lines(orgId, range)).map(({ line }) => line)).toEqual([lines[2], lines[1]]);
  });

  test('has no lines in a range that ends before it begins', async () => {
    const { activity } = ports();
    const orgId = `org_${v7()}`;
    await activity.record(lineAt(NOON, { orgId }));
    const [listed] = await activity.lines(orgId, { ...ALWAYS, limit: 1 });
    expect(await activity.lines(orgId, { from: '2027', to: '2026', limit: 10 })).toEqual([]);
    const before = listed?.position;
    expect(await activity.lines(orgId, { from: '2026-12', to: '2027', before, limit: 10 })).toEqual([]);
  });

  test('reports how the scrape of a slot ended', async () => {
    const { activity } = ports();
    const line = lineAt(later(7));
    await activity.record(line);
    expect(await activity.endOf('org_1', shortId(line.id))).toEqual({
      kind: 'rendered',
      reason: 'page',
      charged: 5,
    });
    expect(await activity.endOf('org_1', shortId(v7()))).toBeUndefined();
    expect(await activity.endOf('org_1', `${shortId(line.id)}#1`)).toBeUndefined();
    expect(await activity.endOf('org_1', 'a')).toBeUndefined();
  });

  test('charges a scrape that was recorded by a process that died before it settled', async () => {
    const { activity, ...accounts } = ports();
    const organization = storedOrganization();
    const line = lineAt(NOON, { orgId: organization.id });
    for (const id of [shortId(line.id), shortId(v7())])
      await accounts.usage.admit(organization, { credits: 5, slot: { id, until: later(60) } }, NOON);
    await activity.record(line);
    const slot = { id: 'full', until: later(300) };
    // The first call that finds no free slot frees the slots of dead processes.
    const crowded = { ...organization, overrides: { concurrency: 1 } };
    const { usage } = await accounts.usage.admit(crowded, { credits: 1, slot }, later(61));
    expect(usage).toMatchObject({ credits: { used: 5, available: 994 } });
    expect(await accounts.usage.days(organization, '2026-11-21', '2026-11-21')).toEqual({
      '2026-11-21': { rendered_page: 1, rendered_credits: 5 },
    });
  });
});
