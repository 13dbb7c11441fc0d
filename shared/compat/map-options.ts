import { z } from 'zod';
import type { SiteMap } from '../contract/crawls/map.ts';
import type { Mapped } from './mapped.ts';
import { refused } from './mapped.ts';
import { TargetText } from './scrape-options.ts';

const MAX_TIMEOUT_MS = 120_000;

/** The body of `POST /v2/map`. */
export const MapBody = z.strictObject({
  url: TargetText,
  search: z.string().max(200).optional(),
  sitemap: z.enum(['include', 'only', 'skip']).optional(),
  includeSubdomains: z.boolean().optional(),
  ignoreQueryParameters: z.boolean().optional(),
  limit: z.int().min(1).max(100_000).optional(),
  timeout: z.int().min(1_000).optional(),
  location: z.unknown().optional(),
  threatProtection: z.unknown().optional(),
  auditMetadata: z.unknown().optional(),
  // Every map is new.
  ignoreCache: z.boolean().optional(),
  useIndex: z.boolean().optional(),
  origin: z.string().optional(),
  integration: z.string().optional(),
});

/** The fields of a map call. Throws `invalid_request` for what this service does not have. */
export function mapFields(options: z.infer<typeof MapBody>): Mapped {
  for (const name of ['threatProtection', 'auditMetadata'] as const)
    if (options[name]) throw refused(name, `These options are not supported here: ${name}.`);
  const { url, search, sitemap, limit, timeout, location } = options;
  const { includeSubdomains = true, ignoreQueryParameters = true } = options;
  return {
    fields: {
      url,
      ...(search !== undefined && { search }),
      ...(sitemap !== undefined && { sitemaps: sitemap }),
      ...(limit !== undefined && { limit }),
      ...(timeout !== undefined && { timeout: Math.min(timeout, MAX_TIMEOUT_MS) }),
      scope: includeSubdomains ? 'domain' : 'host',
      query: ignoreQueryParameters ? 'ignore' : 'keep',
    },
    warnings: [
      ...(location === undefined ? [] : ['location has no effect on a map.']),
      ...((timeout ?? 0) > MAX_TIMEOUT_MS
        ? [`A map may take ${MAX_TIMEOUT_MS} ms at most: a longer timeout has no effect.`]
        : []),
    ],
  };
}

/** The URLs of a map in the shape of `/v2`, and why there may be more. */
export function mapLinks(map: unknown, warnings: readonly string[]) {
  const { urls, incomplete_because: reason } = map as z.infer<typeof SiteMap>;
  const all = [
    ...warnings,
    ...(reason === undefined || reason === 'limit' ? [] : [`The list may lack URLs: ${REASONS[reason]}.`]),
  ];
  return {
    links: urls.map(({ url, title }) => ({ url, ...(title !== undefined && { title }) })),
    ...(all.length > 0 && { warning: all.join(' ') }),
  };
}

const REASONS = {
  timeout: 'the timeout was reached',
  size: 'the site has too many',
  files: 'the site has too many sitemaps',
  robots: 'robots.txt disallows the page, or did not come',
  unreachable: 'the site did not respond',
  source: 'a sitemap or feed was not read',
} as const;
