// @module-tag soak
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readCommand } from '../../infra/admin/read-command.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { clientOf } from '../support/stack/client.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';

const ADMIN = fileURLToPath(new URL('../../infra/admin/main.ts', import.meta.url));

const stack = await sharedStack();

/** As an operator types it, in a process of its own. */
async function run(args: string[], piped = '') {
  const env = { PATH: readLocalEnv().path, LOCAL_DIR: stack.localDir };
  const running = promisify(execFile)(process.execPath, [ADMIN, '--local', '--json', ...args], { env });
  running.child.stdin?.end(piped);
  return JSON.parse((await running).stdout) as Record<string, unknown>;
}

/** The same within this process: starting one for each command would take most of the time. */
async function admin(...args: string[]) {
  const typed = readCommand(['--local', ...args]);
  if (!typed) throw new Error('This asks for help.');
  const execute = typed.command.prepare(typed.values, typed.argument);
  // What waits for functions to notice is tested with a clock of its own.
  return (await execute({ ...stack.storage, ...SILENT })) as Record<string, unknown>;
}

const SILENT = { wait: () => Promise.resolve(), report: () => undefined };

const scrape = async (key: unknown) =>
  (await clientOf(stack.baseUrl, String(key)).scrape({ url: stack.demoSite })).status;

test('the admin commands work on the local stack', async () => {
  const created = await run(['org', 'create', '--name', 'Two calls', '--credits', '2', '--rpm', '30']);
  const orgId = String(created.org_id);
  expect([await scrape(created.api_key), await scrape(created.api_key)]).toEqual([200, 200]);
  expect(await scrape(created.api_key)).toBe(402);
  // A response does not wait for its charge.
  await expect
    .poll(() => admin('org', 'show', orgId))
    .toMatchObject({
      limits: { credits: 2, rpm: 30, concurrency: 10 },
      usage: { available: 0, used: 2, in_progress: 0 },
    });

  expect(await admin('org', 'grant', orgId, '--credits', '1')).toMatchObject({
    limits: { credits: 2 },
    usage: { available: 1, used: 2, granted: 1 },
  });
  expect([await scrape(created.api_key), await scrape(created.api_key)]).toEqual([200, 402]);

  const limits = ['--reads-per-minute', '70', '--rpm', 'default'];
  expect(await admin('org', 'update', orgId, '--plan', 'starter', ...limits)).toMatchObject({
    limits: { credits: 2, rpm: 600, reads_per_minute: 70, concurrency: 50 },
  });
  const { organizations } = await admin('org', 'list');
  expect(organizations).toContainEqual(expect.objectContaining({ org_id: orgId, plan: 'starter' }));

  const second = await admin('key', 'create', orgId, '--name', 'laptop');
  const { keys } = (await admin('key', 'list', orgId)) as { keys: { name: string; status: string }[] };
  expect(keys.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
    'first active',
    'laptop active',
  ]);
  expect(JSON.stringify(keys)).not.toContain(String(second.api_key));
  await admin('key', 'revoke', String(second.key_id));
  expect(await scrape(second.api_key)).toBe(401);

  const leaked = await admin('key', 'create', orgId, '--name', 'leaked');
  const revoked = await run(['key', 'revoke', '-'], `${String(leaked.api_key)}\n`);
  expect(revoked).toMatchObject({ name: 'leaked', status: 'revoked' });
  expect(JSON.stringify(revoked)).not.toContain(String(leaked.api_key));
  expect(await scrape(leaked.api_key)).toBe(401);

  await admin('org', 'suspend', orgId);
  await expect.poll(() => scrape(created.api_key), { timeout: 30_000 }).toBe(403);
  await admin('org', 'resume', orgId);
  await expect.poll(() => scrape(created.api_key), { timeout: 30_000 }).toBe(402);

  const counts = { keys: 3, activity: 3, usage: 1 };
  expect(await admin('org', 'delete', orgId, '--dry-run')).toMatchObject({ would_delete: counts });
  expect(await admin('org', 'delete', orgId, '--yes')).toMatchObject({ org_id: orgId, deleted: counts });
  await expect.poll(() => scrape(created.api_key), { timeout: 30_000 }).toBe(401);
  await expect(admin('org', 'show', orgId)).rejects.toThrow(`There is no organization "${orgId}".`);
  await expect(admin('org', 'show', 'org_none')).rejects.toThrow('There is no organization "org_none".');
});
