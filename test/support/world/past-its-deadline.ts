import { expect } from 'vitest';

const REASON = 'The deadline has passed.';

export const passed = AbortSignal.abort(new Error(REASON));

/** `late`, which has that signal, ends before another work that has the turn. */
export async function expectNotToWait(late: Promise<unknown>, other: Promise<unknown>): Promise<void> {
  const order: string[] = [];
  const failed = expect(late).rejects.toThrow(REASON);
  await Promise.all([other.then(() => order.push('other')), failed.then(() => order.push('late'))]);
  expect(order).toEqual(['late', 'other']);
}
