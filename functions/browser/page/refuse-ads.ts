import { AppError } from '../../../shared/errors.ts';

const REFUSED: readonly string[] = ['ad', 'analytics', 'tag-manager'];
/** Owners that serve much else too, which pages need. */
const NEEDED =
  /(^|\.)(aol|aolcdn|bing|licdn|linkedin|llnwd|microsoft|msn|s-msft|s-msn|snapchat|yahoo|yahooapis)\.(com|net)$/;

/** Throws `url_not_allowed` for ad and tracking hosts, except those of the target's owner. */
export async function refuseAds(targetUrl: string): Promise<(host: string) => void> {
  // Loaded on first use: few requests need the list.
  const { default: thirdParties } = await import('third-party-web/nostats-subset.js');
  const target = new URL(targetUrl).hostname;
  const owner = thirdParties.getEntity(target);
  return (host) => {
    const entity = thirdParties.getEntity(host);
    if (!entity || entity === owner || host === target) return;
    if (!REFUSED.includes(entity.category) || NEEDED.test(host)) return;
    throw new AppError('url_not_allowed', {
      message: 'The page is on an ad or tracker host, and block_ads is set.',
      fields: { param: 'url', reason: 'host' },
    });
  };
}
