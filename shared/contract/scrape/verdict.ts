import { z } from 'zod';

/** What came back from the target. */
export const VerdictKind = z.enum([
  'page',
  'bot_wall',
  'login_wall',
  'consent_wall',
  'empty',
  'payment_required',
]);
export type VerdictKind = z.infer<typeof VerdictKind>;

export const PageVerdict = z.object({
  kind: VerdictKind,
  /** Who made the wall, if known. */
  by: z.string().optional(),
  /** What the target wants to be paid, in its own words. */
  price: z.string().optional(),
});
export type PageVerdict = z.infer<typeof PageVerdict>;

/** A verdict as a header: `bot_wall; by=cloudflare`. */
export function verdictText({ kind, by, price }: PageVerdict): string {
  return [kind, ...(by ? [`by=${by}`] : []), ...(price ? [`price="${price}"`] : [])].join('; ');
}
