import { z } from 'zod';

/** Decoded bytes that one page may have: 50 MB. Larger ones are `response_too_large`. */
export const MAX_PAGE_BYTES = 50_000_000;

/** `partial` when a wait ran out although a document was there. */
export const RenderState = z.enum(['complete', 'partial']);
export type RenderState = z.infer<typeof RenderState>;

/** What is known of a fetched page besides its bytes. */
export const PageHead = z.object({
  /** What the last response of the target said. */
  status: z.int(),
  /** Where redirects ended, percent-encoded ASCII. */
  url: z.string(),
  redirects: z.int(),
  /** The target's own Content-Type, absent if it sent none. */
  contentType: z.string().optional(),
  renderState: RenderState.optional(),
});
export type PageHead = z.infer<typeof PageHead>;

export type Page = PageHead & { body: Uint8Array };
