import { type Batch, type BatchesQuery, BatchId } from '../../contract/batches/batch.ts';
import { cursorOf, readCursor } from '../../domain/cursor.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = { batches: Pick<Effects['batches'], 'list'> } & Pick<Effects, 'now'>;

/** Newest first, each on exactly one page. Throws `invalid_request` for an unknown cursor. */
export async function listBatches(
  { batches, now }: Needs,
  orgId: string,
  { limit, cursor }: BatchesQuery,
): Promise<{ batches: Batch[]; nextCursor?: string }> {
  const before =
    cursor === undefined ? undefined : readCursor(cursor, (text) => BatchId.safeParse(text).success);
  const page = await batches.list(orgId, { before, limit });
  return {
    batches: page.batches.filter((batch) => batch.expiresAt > now()),
    ...(page.next !== undefined && { nextCursor: cursorOf(page.next) }),
  };
}
