import { z } from 'zod';

/** What is taken from the source of a page. */
export const Part = z.enum([
  'html',
  'clean_html',
  'markdown',
  'text',
  'links',
  'images',
  'metadata',
  'extract',
  'change',
]);
export type Part = z.infer<typeof Part>;

/** Formats that only a browser makes. */
export const Picture = z.enum(['screenshot', 'pdf']);
export type Picture = z.infer<typeof Picture>;
