import { expect, test } from 'vitest';
import { assertSealed } from '../../functions/browser/launch/assert-sealed.ts';
import { canary } from '../support/servers/target-server.ts';

test('it serves behind a guard that refuses loopback, link-local and the Runtime API', async () => {
  await using runtimeApi = await canary();
  await assertSealed({ allow: [] }, runtimeApi.host);
  expect(runtimeApi.connections()).toBe(0);
});

test('it refuses to serve when the Runtime API is reachable', async () => {
  await using runtimeApi = await canary();
  await expect(assertSealed({ allow: [runtimeApi.host] }, runtimeApi.host)).rejects.toThrow(runtimeApi.host);
});

test('it refuses to serve when the guard allows a private target, even without a server there', async () => {
  const runtimeApi = await canary();
  await runtimeApi[Symbol.asyncDispose]();
  await expect(assertSealed({ allow: [runtimeApi.host] }, runtimeApi.host)).rejects.toThrow(runtimeApi.host);
});
