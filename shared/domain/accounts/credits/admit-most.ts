import type { Admission, Refusal } from './admission.ts';

export const isShort = ({ code }: Refusal): boolean =>
  code === 'insufficient_credits' || code === 'key_not_allowed';

/** The admission with the first of some credits, the most first, that the balance and the key's cap have. */
export async function admitMost(
  costs: readonly number[],
  admit: (credits: number) => Promise<Admission>,
): Promise<{ admission: Admission; credits: number }> {
  const [credits = 0, ...less] = costs;
  const admission = await admit(credits);
  const isLast = less.length === 0 || admission.outcome === 'admitted' || !isShort(admission);
  return isLast ? { admission, credits } : admitMost(less, admit);
}
