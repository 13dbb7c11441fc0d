import { AppError } from '../../../shared/errors.ts';

/** What the list files under advertising and tracking. */
const REFUSED: readonly string[] = ['ad', 'analytics', 'tag-manager'];
/** Of owners with ads among much else: pages need these. */
const NEEDED =
  /(^|\.)(aol|aolcdn|bing|licdn|linkedin|llnwd|microsoft|msn|s-msft|s-msn|snapchat|yahoo|yahooapis)\.(com|net)$/;

/** Throws `url_not_allowed` for hosts of advertisers and trackers, except those of whoever owns the target. */
export async function refuseAds(targetUrl: string): Promise<(host: string) => void> {
  // Few requests need the list: it is unpacked for the first one that does.
  const { default: thirdParties } = await import('third-party-web/nostats-subset.js');
  const target = new URL(targetUrl).hostname;
  const owner = thirdParties.getEntity(target);
  return (host) => {
    const entity = thirdParties.getEntity(host);
    if (!entity || entity === owner || host === target) return;
    if (!REFUSED.includes(entity.category) || NEEDED.test(host)) return;
    throw new AppError('url_not_allowed', {
      message: 'The page is on an ad or tracker host, and block_ads is set.',
    });
  };
}
