import { openDemoOrganization } from './demo-organization.ts';
import type { KeptState } from './kept-state.ts';
import type { Services } from './open-services.ts';
import type { StackOptions } from './stack-options.ts';

/** The demo organization's key, with the site's port kept for the next run. */
export async function openAccount(
  { apiKey }: StackOptions,
  { demo, keep }: KeptState,
  { endpoints, names }: Pick<Services, 'endpoints' | 'names'>,
  demoSite: string,
) {
  const endpoint = endpoints.dynamodb;
  const account = await openDemoOrganization({ endpoint, tables: names.tables, kept: demo, apiKey });
  const { org_id, api_key, kept } = account;
  await keep({ org_id, api_key, site_port: Number(new URL(demoSite).port) });
  return { apiKey: api_key, kept };
}
