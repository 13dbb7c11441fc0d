import { z } from 'zod';
import type { Condition } from '../conditions.ts';
import { traits } from './field-traits.ts';

/** `scanned`: pictures of pages. `mixed`: some pages are pictures, and only the others have text. */
export const DocumentKind = z.enum(['text', 'scanned', 'mixed']);
export type DocumentKind = z.infer<typeof DocumentKind>;

/** Of a page that was read as a document. `pages`: how many it has. `read`: how many of them were read. */
export const DocumentFacts = z.object({ kind: DocumentKind, pages: z.int(), read: z.int() });
export type DocumentFacts = z.infer<typeof DocumentFacts>;

/** Which pages of a document are read, as in `2-5,9`, and how many there may be. */
export type DocumentWanted = { pages?: string | undefined; max_pages?: number | undefined };

export const MAX_PAGES = 2_000;
/** Pages that are read unless the request says how many. */
export const USUAL_PAGES = 200;
const MAX_RANGES = 100;
const RANGES = /^\s*\d{1,5}(?:\s*-\s*\d{1,5})?(?:\s*,\s*\d{1,5}(?:\s*-\s*\d{1,5})?)*\s*$/;

const EXPECTED = 'expected page numbers such as 1-20 or 1-3,7';

export type PageRange = { from: number; to: number };

/** The ranges of a text such as `1-3, 7`. */
export function pageRanges(text: string): PageRange[] {
  return text.split(',').map((range) => {
    const [from = NaN, to = from] = range.split('-').map(Number);
    return { from, to };
  });
}

function areRanges(text: string): boolean {
  const ranges = pageRanges(text);
  return ranges.length <= MAX_RANGES && ranges.every(({ from, to }) => from >= 1 && from <= to);
}

export const documentField = {
  document: z
    .strictObject({
      pages: z
        .string()
        .max(1_000)
        .regex(RANGES, { error: EXPECTED, abort: true })
        .refine(areRanges, EXPECTED)
        .optional()
        .describe('The pages to read, such as `1-20` or `1-3,7`. Absent: all.'),
      max_pages: z
        .int()
        .min(1)
        .max(MAX_PAGES)
        .optional()
        .describe(`How many pages may be read, from 1 to 2,000. Absent: ${USUAL_PAGES}.`),
    })
    .optional()
    .describe(
      'Of PDF and other documents: which pages are read for `markdown`, `text`, `clean_html`, `links` and `metadata`. 50 pages cost what the page costs, each 50 more that are begun one credit; a document with more pages than may be read is not converted. Slides, sheets and chapters count as pages. Absent: up to 200 pages, in batches and crawls 50.',
    )
    .meta({ examples: [{ pages: '1-20' }] })
    .register(traits, { in: 'body', secret: true }),
};

type Asked = z.output<z.ZodObject<typeof documentField>>;

/** The field is taken only where a document has what is requested. */
export const onlyTexts = <A extends Asked>(isMet: (asked: A) => boolean): Condition<A> => ({
  name: 'document',
  error: 'only allowed with markdown, text, clean_html, links or metadata',
  isMet: (asked) => asked.document === undefined || isMet(asked),
});

const FREE_PAGES = 50;
const PAGES_PER_CREDIT = 50;

/** Credits for so many pages of a document beside the price of the page. */
export function documentCredits(pages: number): number {
  return Math.max(0, Math.ceil((pages - FREE_PAGES) / PAGES_PER_CREDIT));
}

/** The most credits beside the price of the page that a request asks to spend on a document. */
export function wantedCredits(wanted: DocumentWanted | undefined): number {
  if (wanted === undefined) return 0;
  const { pages, max_pages: most = USUAL_PAGES } = wanted;
  const named =
    pages === undefined ? most : pageRanges(pages).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return documentCredits(Math.min(most, named));
}
