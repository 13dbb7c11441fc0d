import { expect, test } from 'vitest';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const stack = await sharedStack();

test('an agent scrapes a page over HTTP, which its organization pays for once', async () => {
  const { api_key: key } = await newOrganization(stack.storage, { plan: 'business' });
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const params = { name: 'scrape', arguments: { url: stack.demoSite } };
  const response = await fetch(`${stack.baseUrl}/mcp`, {
    method: 'POST',
    headers: { ...headers, Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('# Demo site')]);
  const account = await fetch(`${stack.baseUrl}/api/v1/account`, { headers });
  expect(await account.json()).toMatchObject({ credits: { used: 1 } });
});
