import { CacheState } from '../../contract/scrape/cache.ts';
import { DocumentKind } from '../../contract/scrape/document.ts';
import { RenderState, RenderWaiting } from '../../contract/scrape/page.ts';

export type Header = { description: string; required?: true; schema: object; example: string | number };

export const whole = { type: 'integer', minimum: 0 };
export const text = { type: 'string' };

/** Headers of a page. */
export const pageHeaders = {
  'X-Target-Status': {
    description: 'The HTTP status that the target returned.',
    required: true,
    schema: { type: 'integer', minimum: 100, maximum: 999 },
    example: 200,
  },
  'X-Target-Url': {
    description: 'The final URL, after redirects, percent-encoded.',
    required: true,
    schema: { type: 'string', format: 'uri' },
    example: 'https://example.com/',
  },
  'X-Target-Redirects': {
    description: 'Number of redirects that were followed.',
    required: true,
    schema: { type: 'integer', minimum: 0, maximum: 10 },
    example: 0,
  },
  'X-Render-State': {
    description: 'With `render_js`: `partial` if a wait timed out after the document had loaded.',
    schema: { enum: RenderState.options },
    example: 'complete',
  },
  'X-Render-Waiting': {
    description:
      'Of a `partial` page, if it is known: what it was still waiting for. The server of a `poll` was not ready, `load` stands for files that never came, and `timer` for progress or a countdown with nothing else open.',
    schema: { enum: RenderWaiting.options },
    example: 'socket',
  },
  'X-Content-Truncated': {
    description:
      'Only on a page that was cut off, and is delivered as browsers show it: its compression ends early or has a wrong checksum, or a rendered document ends before its stated length.',
    schema: { enum: ['true'] },
    example: 'true',
  },
  'X-Scenario': {
    description: 'With `js_scenario`: the number of steps, and their outcomes.',
    schema: text,
    example: 'steps=5; ok=4; skipped=1; failed=0',
  },
  'X-Page-Verdict': {
    description:
      'What the target returned: `page`, `bot_wall`, `login_wall`, `consent_wall`, `empty` or `payment_required`, with the vendor of a wall as `by`, and the `price`, where known. `bot_wall` and `payment_required` are not charged. Absent on results of an earlier version.',
    schema: text,
    example: 'bot_wall; by=cloudflare',
  },
  'X-Mode-Tried': {
    description:
      'With `mode`: the ways in which the page was requested (`plain`, `rendered`, `premium`, `both`), and what came of each: the verdict, `shell` (only scripts would show it), `missing` (`wait_for` or a required rule found nothing), the code of an error, or `insufficient_credits` for a way that the balance did not pay.',
    schema: text,
    example: 'plain;shell, rendered;page',
  },
  'X-Cache': {
    description:
      '`hit`: a kept page, for free. `revalidated`: a kept page, unchanged at the target. `miss`: a new page.',
    schema: { enum: CacheState.options },
    example: 'hit',
  },
  Age: {
    description: 'Of a kept page: the seconds since it was current.',
    schema: whole,
    example: 90,
  },
  'X-Content-Scope': {
    description: 'Of Markdown and text: which part of the page it has.',
    schema: { enum: ['main', 'full', 'selected'] },
    example: 'main',
  },
  'X-Content-Coverage': {
    description: "Of Markdown and text: the share of the page's visible words that it has.",
    schema: { type: 'number', minimum: 0, maximum: 1 },
    example: 0.87,
  },
  'X-Document-Type': {
    description:
      'Of a page that was read as a document: `text`, or `mixed` if some of its pages are pictures, whose text is missing.',
    schema: { enum: DocumentKind.options },
    example: 'text',
  },
  'X-Document-Pages': {
    description: 'The number of its pages, slides, sheets or chapters. 1 if it has none.',
    schema: whole,
    example: 12,
  },
  'X-Model-Tokens': {
    description:
      'With `extract_schema`: the tokens that the model has read and written, as it counts them. Absent on a kept page, which no model has read again.',
    schema: text,
    example: 'in=812, out=44',
  },
  'X-Extract-Truncated': {
    description: 'With `extract_schema`: the model has read only the first part of a long page.',
    schema: { enum: ['true'] },
    example: 'true',
  },
  'X-Total-Chars': {
    description: 'Of a part: the total number of characters.',
    schema: whole,
    example: 48_213,
  },
  'X-Next-Offset': {
    description: 'Of a part: the `offset` of the next part. Absent in the last.',
    schema: whole,
    example: 9_871,
  },
} as const satisfies Record<string, Header>;
