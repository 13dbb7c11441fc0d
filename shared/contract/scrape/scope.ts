import { z } from 'zod';
import { traits } from './field-traits.ts';
import { isPageSelector } from './selector.ts';

export const Scope = z.enum(['auto', 'main', 'full']);
export type Scope = z.infer<typeof Scope>;

const MAX_SELECTORS = 50;
const MAX_SELECTOR_LENGTH = 1_000;

const Selectors = z
  .array(
    z
      .string()
      .min(1, { abort: true })
      .max(MAX_SELECTOR_LENGTH)
      .refine(isPageSelector, 'expected a CSS selector'),
  )
  .min(1)
  .max(MAX_SELECTORS);

/** Which part of a page its text is taken from. */
export const scopeFields = {
  scope: Scope.optional().describe(
    'Of `markdown`, `text`, `clean_html`, and `change` of text: `main` is the main content, `full` the whole page, `auto` the main content unless that would drop most of the words, as on list and shop pages. Absent: `auto`.',
  ),
  include_selectors: Selectors.optional()
    .describe(
      'Of `markdown`, `text`, `clean_html`, and `change` of text: only the elements that match one of these CSS selectors, whole, in page order. Up to 50. Not with `scope`. If none matches, it is empty; `mode` then tries the next way. Absent: `scope` decides.',
    )
    .meta({ examples: [['article', '#reviews']] })
    .register(traits, { in: 'body', secret: true }),
  exclude_selectors: Selectors.optional()
    .describe(
      'Of `markdown`, `text`, `clean_html`, and `change` of text: without the elements that match one of these CSS selectors. Up to 50. Absent: nothing more is left out.',
    )
    .meta({ examples: [['.comments']] })
    .register(traits, { in: 'body', secret: true }),
};

/** Which part of the page text was taken from, and the share of the visible words that it has. */
export const ContentShare = z.object({
  scope: z.enum(['main', 'full', 'selected']),
  coverage: z.number().min(0).max(1),
});
export type ContentShare = z.infer<typeof ContentShare>;
