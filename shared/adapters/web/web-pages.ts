import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Environment } from '../../config.ts';
import type { EgressPolicy } from '../../egress/decide.ts';
import type { Effects } from '../../ports/effects.ts';
import { TIMEOUTS } from '../clients.ts';
import { clock } from '../clock.ts';
import { chromeFetcher } from './chrome-fetcher.ts';
import { lambdaRenderer } from './lambda-renderer.ts';
import { secretsPremiumProxy } from './secrets-premium-proxy.ts';

export function webPages(
  config: Environment<'scraper' | 'worker'>,
  policy: EgressPolicy,
): Pick<Effects, 'fetchPage' | 'renderPage'> {
  const premiumProxy = secretsPremiumProxy({
    client: new SecretsManagerClient({ requestHandler: TIMEOUTS }),
    secretArn: config.PREMIUM_PROXY_SECRET_ARN,
    now: clock.now,
  });
  return {
    fetchPage: chromeFetcher(policy, premiumProxy),
    renderPage: lambdaRenderer({
      client: new LambdaClient(),
      functionName: config.BROWSER_FUNCTION,
      tenancy: config.BROWSER_TENANCY,
      premiumProxy,
    }),
  };
}
