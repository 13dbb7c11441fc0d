import { z } from 'zod';
import { camelCased } from '../case.ts';
import { MAX_URL_LENGTH } from '../scrape/page.ts';
import { QueryRule } from './query-rule.ts';

export const Scope = z.enum(['path', 'host', 'domain']);
export type Scope = z.infer<typeof Scope>;

/** URLs that a call returns, at most. */
const MAX_MAPPED = 100_000;
const MAX_GLOBS = 100;

export const Globs = z
  .array(z.string().max(500).regex(/^[/*]/, 'expected a glob that begins with / or *'))
  .max(MAX_GLOBS);

/** Whether sitemaps are read. */
export const Sitemaps = z.enum(['include', 'only', 'skip']);

/** Whether the rules of robots.txt are followed. */
export const Robots = z.enum(['obey', 'report', 'ignore']);

/** The JSON body of a map call. */
export const MapRequest = camelCased(
  z.strictObject({
    url: z
      .string()
      .min(1)
      .max(MAX_URL_LENGTH)
      .describe('A page of the site, as an absolute URL.')
      .meta({ format: 'uri', examples: ['https://example.com/'] }),
    scope: Scope.default('host').describe(
      'Which URLs belong to the site: `path`, below the folder of `url`; `host`, at its host, with and without `www.`, over http and https; `domain`, in its registrable domain. Absent: `host`.',
    ),
    sitemaps: Sitemaps.default('include').describe(
      'Whether the sitemaps are read: those in robots.txt, or else `/sitemap.xml` and `/sitemap_index.xml`. `only`: the page and its feeds are not. Absent: `include`.',
    ),
    include: Globs.default([]).describe(
      'Only URLs that one of these globs matches. They are compared with path and query; `*` is any text without a `/`, `**` is any text.',
    ),
    exclude: Globs.default([]).describe('No URL that one of these globs matches, even if `include` does.'),
    query: QueryRule.optional().describe(
      'Which query parameters tell pages apart: `keep`, all; `ignore`, none; `{"drop": [...]}`, all but these. Absent: all but those of campaigns, clicks and sessions, such as `utm_*`, `gclid` and `jsessionid`. Of several spellings the first is returned.',
    ),
    search: z
      .string()
      .max(200)
      .optional()
      .describe('Only URLs that have all of these words in the URL or the title, the best first.'),
    limit: z
      .int()
      .min(1)
      .max(MAX_MAPPED)
      .default(5_000)
      .describe('URLs to return, up to 100,000. Absent: 5,000.'),
    timeout: z
      .int()
      .min(1_000)
      .max(120_000)
      .default(30_000)
      .describe(
        'Milliseconds that reading the site may take, from 1,000 to 120,000. What was found by then is returned. Absent: 30,000.',
      ),
    robots: Robots.default('obey').describe(
      '`obey`: URLs that robots.txt disallows are neither read nor returned. `report`: they are returned with `disallowed`. `ignore`: robots.txt is read for its sitemaps alone, which the operator has to allow. Absent: `obey`.',
    ),
  }),
);
export type MapRequest = z.infer<typeof MapRequest>;

const SourceType = z.enum(['page', 'sitemap', 'feed', 'robots']);

export const MappedUrl = z.object({
  url: z.string().describe('As it is spelled where it was found first, without its fragment.'),
  source: SourceType.describe(
    'Where it was found first: the page, a sitemap, a feed, or a rule of robots.txt that allows it.',
  ),
  lastmod: z
    .string()
    .optional()
    .describe('When it was changed, as a sitemap or feed says: a time in UTC, a day, a month or a year.'),
  title: z.string().optional().describe('The title in a feed or of the page, or the text of a link.'),
  disallowed: z.literal(true).optional().describe('With `"robots": "report"`: robots.txt disallows it.'),
});
export type MappedUrl = z.infer<typeof MappedUrl>;

export const MapSource = z.object({
  url: z.string().describe('What was read, after redirects.'),
  type: SourceType,
  status: z.int().optional().describe('The HTTP status of its response.'),
  urls: z.int().optional().describe('URLs found in it, with all that were known or left out.'),
  error: z
    .string()
    .optional()
    .describe(
      'Why it was not read, or not to its end: the code of an error, a verdict such as `bot_wall`, `status`, `robots` (disallowed), `format` (neither sitemap nor feed), `cut_off`, `too_large`, `too_many_urls`, `depth` or `out_of_scope`.',
    ),
});
export type MapSource = z.infer<typeof MapSource>;

export const LeftOut = z.enum(['too_long', 'trap', 'out_of_scope', 'excluded', 'robots']);
export type LeftOut = z.infer<typeof LeftOut>;

/** What ended the reading, or kept it from something. */
export const Incomplete = z.enum(['limit', 'timeout', 'size', 'files', 'robots', 'unreachable', 'source']);
export type Incomplete = z.infer<typeof Incomplete>;

export const MapSummary = z.object({
  total: z
    .int()
    .describe('URLs found that match: more than `urls` has, if `search` found more than `limit`.'),
  complete: z.boolean().describe('Whether all that the site names was read.'),
  incomplete_because: Incomplete.optional().describe(
    'Why it is not complete: `limit` or `timeout` was reached, `size` (50 MB of URLs), `files` (1,000 sitemaps), `robots` (robots.txt disallows the page, or did not come), `unreachable` (nothing came, so a missing URL proves nothing), or `source` (see the `error` of `sources`).',
  ),
  left_out: z
    .partialRecord(LeftOut, z.int())
    .describe(
      'How often a URL was left out, and why: `too_long` (over 2,048 characters), `trap` (a path with the same segment three times), `out_of_scope`, `excluded`, `robots`.',
    ),
  sources: z.array(MapSource).describe('What was read, in this order.'),
});
export type MapSummary = z.infer<typeof MapSummary>;

/** The response as JSON. As lines, each URL is one, and the last line is the rest. */
export const SiteMap = MapSummary.extend({ urls: z.array(MappedUrl) });
