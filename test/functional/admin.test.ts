import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { listOrganizations, updateOrganization } from '../../infra/admin/commands.ts';
import { readLocalEnv } from '../../shared/config.ts';
import { newService } from '../support/api.ts';

// Programs of their own take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

test('an organization is listed, and what is changed of it leaves the rest as it was', async () => {
  const { world, service } = await newService();
  const { orgId } = await service.organization({ name: 'Old', overrides: { rpm: 7, concurrency: 3 } });
  const changed = await updateOrganization(world, orgId, {
    name: 'New',
    plan: 'starter',
    overrides: { rpm: 90, concurrency: undefined },
  });
  const limits = { credits: 100_000, rpm: 90, reads_per_minute: 6_000, concurrency: 3 };
  expect(changed).toMatchObject({ org_id: orgId, name: 'New', plan: 'starter', limits });
  const { organizations } = await listOrganizations(world);
  expect(organizations).toHaveLength(2);
  expect(organizations).toContainEqual({
    org_id: orgId,
    name: 'New',
    plan: 'starter',
    status: 'active',
    created_at: '2026-11-21T12:00:00.000Z',
  });
});

test.concurrent.each([
  ['admin', 'org create --name A --plan gold', /^--plan must be free, starter or business, not "gold"\.\n$/],
  ['admin', '--stage nope org list', /^--stage must be dev or prod, not "nope"\.\n$/],
  ['smoke', '--nope', /^Unknown option '--nope'.*\n$/],
])('%s %s is refused in one line', async (program, args, line) => {
  const main = fileURLToPath(new URL(`../../infra/${program}/main.ts`, import.meta.url));
  const { promise: printed, resolve } = Promise.withResolvers<string>();
  const env = { PATH: readLocalEnv().path };
  const child = execFile(process.execPath, [main, ...args.split(' ')], { env }, (_, __, stderr) =>
    resolve(stderr),
  );
  expect(await printed).toMatch(line);
  expect(child.exitCode).toBe(1);
});
