import { BatchesQuery } from '../../shared/contract/batches/batch.ts';
import { listReply } from '../../shared/http/list-reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { TargetPolicy } from '../../shared/request/parse-scrape-request.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { cancelBatch } from '../../shared/use-cases/batches/cancel-batch.ts';
import { listBatches } from '../../shared/use-cases/batches/list-batches.ts';
import type { ChunkNeeds } from '../../shared/use-cases/batches/settle-chunk.ts';
import { showBatches } from '../../shared/use-cases/batches/show-batch.ts';
import { batchId, batchOf } from './batch-of.ts';
import { resultsReply, shown } from './batch-replies.ts';
import { compatBatches } from './compat.ts';
import { newBatches } from './new-batches.ts';
import { startUpload } from './start-upload.ts';

type Needs = ChunkNeeds &
  Pick<Effects, 'waitList' | 'jobs' | 'queue' | 'results' | 'uploads' | 'newId' | 'wait' | 'apiUrl'>;

export function batchOperations(fx: Needs, policy: TargetPolicy): Operations<'batches'> {
  return {
    ...compatBatches(fx, policy),
    ...newBatches(fx, policy),

    startBatch: async (call) => {
      const { organization } = call.session;
      return shown(fx, await startUpload(fx, organization.id, batchId(call)), call);
    },

    listBatches: async (call) => {
      const { organization } = call.session;
      const { batches, nextCursor } = await listBatches(fx, organization.id, readQuery(call, BatchesQuery));
      const views = await showBatches(fx, organization, batches);
      return listReply(call, views, {
        viewOf: (view) => view,
        positionOf: ({ batch_id: id }) => id,
        nextCursor,
      });
    },

    getBatch: async (call) => shown(fx, await batchOf(fx, call), call),

    cancelBatch: async (call) => {
      const batch = await cancelBatch(fx, call.session.organization.id, batchId(call));
      // Nothing will read it. What is sent later by the same link stays for 30 days.
      if (batch.startedAt === undefined) await fx.uploads.remove(batch.upload.key);
      return shown(fx, batch, call);
    },

    getBatchResults: async (call) => resultsReply(fx, await batchOf(fx, call), call),
  };
}
