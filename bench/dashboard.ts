/**
 * How long the dashboard's function takes for each page, by its own log, for an organization with this many
 * scrapes: docs/performance.md. `--lines 1000` is as many as the page of usage sums.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { v7 } from 'uuid';
import { readFunctionLogs } from '../local/function-logs.ts';
import { localStack } from '../test/support/local-stack.ts';
import { newMember } from '../test/support/page-client.ts';
import { synthesised } from '../test/support/synthesised-stacks.ts';
import { keyIn } from '../test/support/visitor.ts';
import { tallyOf } from '../shared/domain/accounts/credits/usage-days.ts';

const { values } = parseArgs({ options: { lines: { type: 'string', default: '200' } } });
const ROUNDS = 60;
const AT_ONCE = 50;
const EMAIL = 'ada@example.com';
/** By the operation that answers it. */
const PAGES = {
  home: '/',
  usage: '/usage',
  activity: '/activity',
  jobs: '/jobs',
  keys: '/keys',
  playground: '/playground',
  limits: '/limits',
  members: '/members',
  settings: '/settings',
};

await using stack = await localStack({ assembly: await synthesised('cdk.out') });
const { visitor, html } = await newMember(stack.dashboardUrl, stack.localDir, EMAIL);
await recordScrapes(keyIn(html)?.split('_')[2] ?? '', Number(values.lines));

const bytes = new Map<string, number>();
for (let round = 0; round < ROUNDS; round++)
  for (const path of Object.values(PAGES)) bytes.set(path, (await visitor.get(path)).html.length);

const { lines } = await readFunctionLogs(join(stack.localDir, 'logs'));
console.table(
  Object.entries(PAGES).map(([name, page]) => {
    const requests = lines.filter((line) => line.function === 'dashboard' && line['operation'] === name);
    const times = requests.map((line) => Number(line['ms'])).sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor((times.length - 1) * share)];
    return { page, 'p50 ms': at(0.5), 'p95 ms': at(0.95), bytes: bytes.get(page) };
  }),
);

/** Writes lines of activity and counts them, by what an admission and a settlement write. */
async function recordScrapes(keyId: string, count: number): Promise<void> {
  const { accounts, activity } = stack.storage;
  const key = await accounts.findKey(keyId);
  const organization = key && (await accounts.findOrganization(key.orgId));
  if (!organization) throw new Error('The first key has no organization.');
  const now = new Date();
  const slot = { id: 'bench', until: new Date(now.getTime() + 60_000) };
  await accounts.admit(organization, { credits: 1, slot }, now);
  const ended = tallyOf({ kind: 'plain', reason: 'page', charged: 1 });
  await accounts.settle(organization, { slotId: slot.id, held: 1, ended }, now);
  for (let n = 0; n < count; n += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - n) }, async (_, i) => {
      const host = `host-${(n + i) % 40}.example`;
      const about = { id: v7(), orgId: organization.id, keyId, url: `https://${host}/`, host, options: {} };
      const end = { type: 'scrape', targetStatus: 200, credits: 1, reason: 'page', ms: 300 } as const;
      await activity.record({ ...about, ...end, time: new Date(now.getTime() - (n + i)) });
    });
    await Promise.all(some);
  }
}
