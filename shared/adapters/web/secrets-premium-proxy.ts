import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { premiumUpstreamUrl } from '../../domain/scrape/target/premium-upstream.ts';
import { AppError } from '../../errors.ts';
import type { PremiumProxy } from '../../ports/scrape.ts';
import { untilAborted } from '../../time/until-aborted.ts';

type Options = {
  client: SecretsManagerClient;
  /** ARN of the secret with the upstream's URL. Undefined if none is configured. */
  secretArn: string | undefined;
  now: () => Date;
};

/** A changed password takes effect after this time. */
const KEPT_MS = 5 * 60_000;

/** Reads the operator's upstream from Secrets Manager at the first premium scrape, and caches it. */
export function secretsPremiumProxy({ client, secretArn, now }: Options): PremiumProxy {
  let held: { template: Promise<string>; until: number } | undefined;

  function template(arn: string): Promise<string> {
    if (held && held.until > now().getTime()) return held.template;
    const read = readTemplate(client, arn);
    held = { template: read, until: now().getTime() + KEPT_MS };
    // A failed read is repeated by the next scrape.
    read.catch(() => (held = undefined));
    return read;
  }
  return async ({ premiumProxy, countryCode, sessionId }, { orgId, scrapeId, signal }) => {
    if (!premiumProxy) return undefined;
    if (secretArn === undefined) throw new AppError('premium_proxy_unavailable');
    // Others may wait longer for the same secret.
    const url = await untilAborted(template(secretArn), signal).catch((cause: unknown) => {
      throw cause instanceof AppError ? cause : new AppError('timeout', { cause });
    });
    return premiumUpstreamUrl(url, { countryCode, sessionId }, { orgId, scrapeId });
  };
}

async function readTemplate(client: SecretsManagerClient, arn: string): Promise<string> {
  try {
    const { SecretString: url = '' } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
    if (url.trim() !== '') return url.trim();
  } catch (cause) {
    throw new AppError('proxy_failed', { cause });
  }
  throw new AppError('proxy_failed');
}
