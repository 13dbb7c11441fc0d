import type { KeyRestrictions, Organization, Usage } from '../../../shared/contract/accounts/account.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import type { Refusal } from '../../../shared/domain/accounts/credits/admission.ts';
import { costs } from '../../../shared/domain/accounts/credits/charge.ts';
import { type CappedKey, leftToday } from '../../../shared/domain/accounts/credits/key-caps.ts';
import { chunkSlotId } from '../../../shared/domain/accounts/credits/slots.ts';
import { cappedKey } from '../../../shared/domain/accounts/key-restrictions.ts';
import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { admitMost, isShort } from '../../../shared/domain/accounts/credits/admit-most.ts';
import { priceOf, type Task } from './run-line.ts';

type Needs = Pick<Effects, 'keys' | 'usage' | 'now'>;

/** Only the chunk knows the charge: its slots must not run out before the sweeper has settled it. */
const SLOT_MARGIN_MS = 60 * 60_000;

export function chunkSlotUntil({ dueAt }: Chunk): Date {
  return new Date(Number(dueAt) + SLOT_MARGIN_MS);
}

export type Admitted =
  | { outcome: 'admitted'; tasks: Task[]; restrictions: KeyRestrictions | undefined }
  /** `later`: other scrapes hold the credits. `one`: the first line costs too much. `all`: none is left. */
  | { outcome: 'full' | 'later' | 'one' | 'all'; code: Refusal['code'] };

/** Takes a slot with the credits of all lines, or of the first ones if there are not enough for all. */
export async function admitLines(
  fx: Needs,
  batch: Batch,
  owned: Chunk,
  organization: Organization,
  tasks: Task[],
): Promise<Admitted> {
  const record = await fx.keys.find(batch.keyId);
  const restrictions = record?.restrictions;
  const key = cappedKey(batch.keyId, restrictions);
  const slot = { id: chunkSlotId(owned), until: chunkSlotUntil(owned) };
  const admit = async (credits: number) => fx.usage.admit(organization, { credits, slot, key }, fx.now());
  const all = await admit(priceOf(tasks));
  if (all.outcome === 'admitted') return { outcome: 'admitted', tasks, restrictions };
  if (!isShort(all)) return { outcome: 'full', code: all.code };
  const some = affordable(tasks, creditsLeft(all.usage, key));
  if (some.length > 1 && (await admit(priceOf(some))).outcome === 'admitted')
    return { outcome: 'admitted', tasks: some, restrictions };
  const [first] = tasks;
  const { admission: one, credits } = await admitMost(costsOf(first), admit);
  if (one.outcome === 'admitted') {
    const cut = first ? [{ ...first, heldCredits: credits }] : [];
    return { outcome: 'admitted', tasks: cut, restrictions };
  }
  if (!isShort(one)) return { outcome: 'full', code: one.code };
  const { usage, code } = one;
  const isHeld = Object.values(usage.slots.inUse).some(({ credits }) => credits > 0);
  if (isHeld) return { outcome: 'later', code };
  return { outcome: creditsLeft(usage, key) > 0 ? 'one' : 'all', code };
}

const creditsLeft = ({ credits, limits }: Usage, key: CappedKey | undefined): number =>
  Math.min(credits.available, key ? leftToday(limits.caps, key) : Infinity);

/** The first lines that so many credits pay for. */
function affordable(tasks: readonly Task[], credits: number): Task[] {
  let left = credits;
  const end = tasks.findIndex((task) => (left -= priceOf([task])) < 0);
  return tasks.slice(0, end === -1 ? tasks.length : end);
}

/** What a line may cost, the most first. An invalid line costs nothing. */
const costsOf = (task: Task | undefined) => (task?.read.item ? costs(task.read.item) : [0]);
