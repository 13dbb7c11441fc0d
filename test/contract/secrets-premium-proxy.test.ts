import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { secretsPremiumProxy } from '../../shared/adapters/web/secrets-premium-proxy.ts';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { scrapeContext } from '../support/world/scrape-context.ts';
import { rawServer } from '../support/servers/target-server.ts';

test('an unavailable secret does not delay a scrape beyond its deadline', async () => {
  await using silent = await rawServer(() => undefined);
  const client = new SecretsManagerClient({
    endpoint: silent.origin,
    region: REGION,
    credentials: LOCAL_CREDENTIALS,
  });
  const premiumProxy = secretsPremiumProxy({ client, secretArn: 'arn', now: () => new Date() });
  const scrape = { url: 'https://example.com/', renderJs: false, premiumProxy: true, timeout: 1_000 };
  const context = scrapeContext(AbortSignal.timeout(200));
  await expect(premiumProxy(scrape as never, context)).rejects.toMatchObject({ code: 'timeout' });
  client.destroy();
});
