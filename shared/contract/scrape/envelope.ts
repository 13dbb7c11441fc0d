import { z } from 'zod';
import { Change } from './change.ts';
import { Captured } from './capture.ts';
import { ScenarioReport } from './js-scenario.ts';
import { Evidence, ModelTokens } from './extraction.ts';
import { Metadata } from './metadata.ts';
import { Extracted, Images, Links, Miss, type Output } from './output.ts';
import { RenderState, RenderWaiting } from './page.ts';
import { PictureType } from './picture.ts';
import { ResponseHeaders } from './response-headers.ts';
import { DocumentKind } from './document.ts';
import { ContentShare } from './scope.ts';
import { VerdictKind } from './verdict.ts';

const base64 = z.string().describe('Its bytes as base64.');

/** The body of `format=json`: what the target answered, and a member for each of `formats`. */
export const Envelope = z.object({
  url: z.string().describe('The final URL, after redirects.'),
  status: z.int().describe('The HTTP status that the target returned.'),
  redirects: z.int().describe('How many redirects led there.'),
  content_type: z.string().optional().describe("The target's own `Content-Type`, if it sent one."),
  render_state: RenderState.optional().describe('Of a rendered page: see `X-Render-State`.'),
  render_waiting: RenderWaiting.optional().describe('Of a `partial` page: see `X-Render-Waiting`.'),
  content_truncated: z.literal(true).optional().describe('The page was cut off: see `X-Content-Truncated`.'),
  verdict: VerdictKind.optional().describe('What the target returned: see `X-Page-Verdict`.'),
  verdict_by: z.string().optional().describe('The maker of a bot wall, if known.'),
  price: z.string().optional().describe('The price that the target demands, in its own words.'),
  headers: ResponseHeaders.describe(
    "The target's headers by their lower-case names, with a list where one is repeated.",
  ),
  cookies: z
    .record(z.string(), z.string())
    .describe('The cookies set by the target, in the form that a request takes.'),
  html: z.string().optional().describe('The page.'),
  clean_html: z.string().optional().describe('Its content as HTML, without scripts and styles.'),
  markdown: z.string().optional().describe('Its content as GitHub Flavored Markdown.'),
  text: z.string().optional().describe('Its content as plain text.'),
  content_scope: ContentShare.shape.scope.optional().describe('Which part of the page these have.'),
  content_coverage: ContentShare.shape.coverage
    .optional()
    .describe("The share of the page's visible words that they have."),
  document_type: DocumentKind.optional().describe('Of a document: see `X-Document-Type`.'),
  document_pages: z.int().optional().describe('Of a document: see `X-Document-Pages`.'),
  links: Links.optional(),
  images: Images.optional(),
  metadata: Metadata.optional(),
  extract: Extracted.optional(),
  extract_report: z
    .array(z.union([Miss, Evidence]))
    .optional()
    .describe('Every rule that found no value, and whether each value of the model stands in the page.'),
  extract_truncated: z.literal(true).optional().describe('See `X-Extract-Truncated`.'),
  model_tokens: ModelTokens.optional().describe('With `extract_schema`: see `X-Model-Tokens`.'),
  change: Change.optional(),
  screenshot: z
    .object({ type: PictureType, width: z.int(), height: z.int(), base64 })
    .optional()
    .describe('The picture, with its size in pixels.'),
  pdf: z.object({ base64 }).optional().describe('The printed page.'),
  scenario: ScenarioReport.optional().describe('The report of the `js_scenario`.'),
  capture: z.array(Captured).optional().describe('The responses that `capture` kept.'),
} satisfies Record<Output, z.ZodType> & Record<string, z.ZodType>);
export type Envelope = z.infer<typeof Envelope>;
