import type { KeyRestrictions, Organization } from '../../../shared/contract/account.ts';
import type { Chunk } from '../../../shared/contract/chunk.ts';
import { cappedKey } from '../../../shared/domain/account/key-restrictions.ts';
import { slotIdOf } from '../../../shared/domain/job/state.ts';
import type { UploadBatch } from '../../../shared/domain/upload/upload-state.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import type { Effects } from '../../../shared/ports.ts';
import { priceOf, type Task } from './run-lines.ts';

type Needs = Pick<Effects, 'accounts' | 'now'>;

const SLOT_MARGIN_MS = 10 * 60_000;

type Admitted =
  | { tasks: readonly Task[]; restrictions: KeyRestrictions | undefined; refusal?: undefined }
  | { refusal: ErrorCode };

/** Takes a slot with the credits of all lines, or of the first if there are not enough for all. */
export async function admitLines(
  fx: Needs,
  batch: UploadBatch,
  owned: Chunk,
  organization: Organization,
  tasks: readonly Task[],
): Promise<Admitted> {
  const record = await fx.accounts.findKey(batch.keyId);
  const restrictions = record?.restrictions;
  const key = cappedKey(batch.keyId, restrictions);
  const until = new Date(Number(owned.dueAt) + SLOT_MARGIN_MS);
  const slot = { id: slotIdOf(owned), until };
  for (const some of [tasks, tasks.slice(0, 1)]) {
    const admission = await fx.accounts.admit(organization, { credits: priceOf(some), slot, key }, fx.now());
    if (admission.outcome === 'admitted') return { tasks: some, restrictions };
    const isShort = admission.code === 'insufficient_credits' || admission.code === 'key_not_allowed';
    if (!isShort || some.length <= 1) return { refusal: admission.code };
  }
  return { refusal: 'insufficient_credits' };
}
