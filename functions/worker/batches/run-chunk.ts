import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import type { Batch } from '../../../shared/contract/batches/batch.ts';
import { chunkSlotId } from '../../../shared/domain/accounts/credits/slots.ts';
import { linesLeft, released, withWork } from '../../../shared/domain/batches/chunk-state.ts';
import { addMs, SECOND_MS } from '../../../shared/time/units.ts';
import { failChunk, settleChunk } from '../../../shared/use-cases/batches/settle-chunk.ts';
import { MAX_WAKE_SECONDS } from '../../../shared/use-cases/jobs/wake-workers.ts';
import { allowedRedirects } from '../crawls/allowed-redirects.ts';
import type { Prospect } from '../crawls/visit-host.ts';
import { failFirst, waitSecondsAfter, workIn } from './chunk-work.ts';
import {
  admit,
  type Admitted,
  claim,
  type ChunkContext,
  type ChunkOutcome,
  type RunChunkNeeds,
} from './claim-chunk.ts';
import { extraSlots, NO_EXTRA_SLOTS } from './extra-slots.ts';
import { giveBack, lose } from './leave-chunk.ts';
import type { LineResult } from './line-result.ts';
import { leaseOf, type Ran, runLines } from './run-lines.ts';
import { storeFound, storePart } from './store-part.ts';
import { leaveHost } from './take-host.ts';

/** After a fault of the service, which the next turn may meet too. */
const FAULT_SECONDS = 10;

/** Runs some lines in a slot, then gives the chunk back. Safe to run twice, and to be killed at any line. */
export async function runChunk(
  fx: RunChunkNeeds,
  batch: Batch,
  id: string,
  context: ChunkContext,
): Promise<ChunkOutcome> {
  const claimed = await claim(fx, batch, id, context);
  if (typeof claimed === 'string') return claimed;
  try {
    const admitted = await admit(fx, claimed, context);
    if (typeof admitted === 'string') return admitted;
    const ran = await run(fx, admitted, context);
    const prospect = await leaveHost(admitted.place, ran);
    return await commit(fx, admitted, { ran, prospect }, context);
  } catch (error) {
    await giveBack(fx, claimed, FAULT_SECONDS);
    throw error;
  } finally {
    await claimed.place?.leave();
  }
}

async function run(fx: RunChunkNeeds, admitted: Admitted, context: ChunkContext): Promise<Ran> {
  const { batch, owned, organization, found, refusal, turn, isCancelled, restrictions, place } = admitted;
  if (refusal) return failFirst(found.tasks, refusal, fx.now());
  const { requestId, orgId, deadlineAt } = batch;
  const { requestLog, signal, places, robotsToken } = context;
  const turnEnd = addMs(fx.now(), turn.ms);
  const until = turnEnd < deadlineAt ? turnEnd : deadlineAt;
  const lease = {
    leaseUntil: leaseOf(fx, owned),
    ...(place && { mayStart: place.mayStart, started: place.started }),
  };
  const limits = { restrictions, until, maxBytes: turn.bytes, ...lease, deadlineAt, isCancelled, signal };
  const slots = place ? NO_EXTRA_SLOTS : extraSlots(fx, { owned, organization, places });
  await using connections = new AsyncDisposableStack();
  const line = { requestId, orgId, scrapeId: chunkSlotId(owned), requestLog };
  const ofCrawl = { ...line, connections, mayFollow: allowedRedirects(fx, owned, robotsToken) };
  return await runLines(fx, found.tasks, limits, place ? ofCrawl : line, slots);
}

/** Stores and commits the results, then charges and counts them, and gives the chunk back. */
async function commit(
  fx: RunChunkNeeds,
  { batch, owned, found, held, isCancelled }: Admitted,
  { ran, prospect }: { ran: Ran; prospect: Prospect },
  { requestLog }: ChunkContext,
): Promise<ChunkOutcome> {
  const { results, tally } = ran;
  requestLog.enter('store');
  const part = results.length > 0 ? await store(fx, owned, results) : undefined;
  requestLog.enter('settle');
  const after = withWork(owned, { ...workIn(owned, found, ran), part, held, tally }, fx.now());
  requestLog.note({ credits: tally.charged, status: `${results.length} of ${found.tasks.length} lines` });
  if (!(await fx.chunks.replace(owned, after))) return lose(fx, owned);
  const waitSeconds = waitSecondsAfter(after, ran, fx.now(), prospect.notBefore);
  const notBefore = waitSeconds > 0 ? addMs(fx.now(), waitSeconds * SECOND_MS) : undefined;
  await settleChunk(fx, batch, after, notBefore);
  const objection = (await isCancelled()) ? 'cancelled' : prospect.isGivenUp && 'host_unavailable';
  if (objection) await failChunk(fx, batch, released(after, batch, notBefore), objection);
  else if (waitSeconds > 0) await fx.queue.wake(batch.orgId, Math.min(waitSeconds, MAX_WAKE_SECONDS));
  else if (linesLeft(after) > 0) return 'more';
  return ran.isThrottled ? 'throttled' : 'done';
}

/** What a crawl needs is stored first: a committed part has it. */
async function store({ results }: RunChunkNeeds, owned: Chunk, lines: readonly LineResult[]) {
  if (owned.crawl) await storeFound(results, owned, lines);
  return storePart(results, owned, owned.fencingToken, lines);
}
