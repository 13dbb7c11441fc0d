import type { z } from 'zod';
import type { MappedUrl, MapRequest, MapSummary, SiteMap } from '../../contract/crawls/map.ts';

export const mapRequests = {
  site: { summary: 'All URLs of a site', value: { url: 'https://example.com/' } },
  part: {
    summary: 'Posts about shoes',
    value: { url: 'https://example.com/', include: ['/blog/**'], search: 'shoes', limit: 100 },
  },
} satisfies Record<string, { summary: string; value: z.input<typeof MapRequest> }>;

const urls: MappedUrl[] = [
  { url: 'https://example.com/', source: 'page', title: 'Example Domain' },
  { url: 'https://example.com/blog/shoes', source: 'sitemap', lastmod: '2026-11-20' },
];

const summary: MapSummary = {
  total: 2,
  complete: true,
  left_out: { out_of_scope: 1 },
  sources: [
    { url: 'https://example.com/robots.txt', type: 'robots', status: 200 },
    { url: 'https://example.com/', type: 'page', status: 200, urls: 2 },
    { url: 'https://example.com/sitemap.xml', type: 'sitemap', status: 200, urls: 1 },
  ],
};

export const siteMap = {
  whole: { summary: 'A small site', value: { urls, ...summary } satisfies z.infer<typeof SiteMap> },
};

export const siteMapLines = {
  whole: {
    summary: 'A small site',
    value: [...urls, summary].map((line) => `${JSON.stringify(line)}\n`).join(''),
  },
};
