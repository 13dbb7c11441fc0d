import { z } from 'zod';

const said = (words: string) => z.string().optional().describe(words);

/** What a page says about itself. What it does not say is left out. */
export const Metadata = z
  .object({
    title: said('Its title.'),
    description: said('Its description.'),
    language: said('Its language, such as `en-GB`.'),
    canonical: said('Its canonical URL.'),
    author: said('Its author.'),
    published_at: said('When it was published, as the page writes it or as ISO 8601.'),
    site_name: said('The name of its site.'),
    image: said('The URL of its preview image.'),
    favicon: said('The URL of its icon.'),
    keywords: said('Its keywords.'),
    robots: said('What it asks of robots.'),
    open_graph: z
      .record(z.string(), z.string())
      .optional()
      .describe('Its Open Graph properties, without `og:`, each as the page writes it.'),
    feeds: z
      .array(z.object({ url: z.string(), title: z.string().optional(), type: z.string().optional() }))
      .optional()
      .describe('Its feeds.'),
    json_ld: z.array(z.unknown()).optional().describe('Its JSON-LD, each script unchanged.'),
    json_ld_omitted: z
      .int()
      .optional()
      .describe('Number of JSON-LD blocks omitted because they are nested more than 64 deep.'),
  })
  .describe('What the page says about itself. Members without a value are absent.');
export type Metadata = z.infer<typeof Metadata>;
