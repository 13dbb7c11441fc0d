import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { premiumUpstreamUrl } from '../../domain/scrape/target/premium-upstream.ts';
import { AppError } from '../../errors.ts';
import type { PremiumProxy } from '../../ports/scrape.ts';
import { untilAborted } from '../../time/until-aborted.ts';
import { keptSecret } from '../kept-secret.ts';

type Options = {
  client: SecretsManagerClient;
  /** ARN of the secret with the upstream's URL. Undefined if none is configured. */
  secretArn: string | undefined;
  now: () => Date;
};

/** Reads the operator's upstream from Secrets Manager at the first premium scrape, and caches it. */
export function secretsPremiumProxy({ client, secretArn, now }: Options): PremiumProxy {
  const secret = keptSecret(client, now);
  return async ({ premiumProxy, countryCode, sessionId }, { orgId, scrapeId, signal }) => {
    if (!premiumProxy) return undefined;
    if (secretArn === undefined) throw new AppError('premium_proxy_unavailable');
    // Others may wait longer for the same secret.
    const url = await untilAborted(secret(secretArn), signal).catch((cause: unknown) => {
      if (cause instanceof AppError) throw cause;
      throw new AppError(signal.aborted ? 'timeout' : 'proxy_failed', { cause });
    });
    return premiumUpstreamUrl(url, { countryCode, sessionId }, { orgId, scrapeId });
  };
}
