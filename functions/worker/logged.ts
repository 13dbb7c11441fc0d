import type { Batch } from '../../shared/contract/batches/batch.ts';
import { toAppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/observe/log.ts';
import { logged, openRequestLog } from '../../shared/observe/request-log.ts';
import { readUpload } from './batches/read-upload.ts';
import { type ChunkOutcome, runChunk } from './batches/run-chunk.ts';
import type { JobOutcome } from './jobs/job-outcome.ts';
import { runJob } from './jobs/run-job.ts';

type Parameter<F extends (...args: never[]) => unknown, N extends 0 | 1 | 2 | 3> = Parameters<F>[N];
type JobContext = Omit<Parameter<typeof runJob, 2>, 'requestLog'> & { log: Log };
type ChunkContext = Omit<Parameter<typeof runChunk, 3>, 'requestLog'> & { log: Log };
type ReadContext = Parameter<typeof readUpload, 2> & { log: Log };

export type LoggedNeeds = Parameter<typeof runJob, 0> &
  Parameter<typeof runChunk, 0> &
  Parameter<typeof readUpload, 0>;

const FAULT_DELAY_SECONDS = 10;

/** Runs a job. After an unexpected error a message brings it back. */
export async function runJobLogged(
  fx: Parameter<typeof runJob, 0>,
  known: Parameter<typeof runJob, 1>,
  { log, ...context }: JobContext,
  messageId?: string,
): Promise<JobOutcome> {
  const jobId = typeof known === 'string' ? known : known.job.id;
  const requestLog = openRequestLog({ messageId, jobId });
  const noted = (outcome: JobOutcome) => {
    if ('afterSeconds' in outcome) requestLog.note({ retryAfter: outcome.afterSeconds });
    return outcome;
  };
  return logged(
    { log, kind: 'job', requestLog },
    async () => noted(await runJob(fx, known, { requestLog, ...context })),
    () => noted({ outcome: 'again', afterSeconds: FAULT_DELAY_SECONDS }),
  );
}

/** Runs lines of a batch. After an unexpected error they are the sweeper's. */
export async function runChunkLogged(
  fx: Parameter<typeof runChunk, 0>,
  { batch, chunk }: { batch: Batch; chunk: { id: string } },
  { log, ...context }: ChunkContext,
): Promise<ChunkOutcome> {
  const requestLog = openRequestLog();
  return logged(
    { log, kind: 'lines', requestLog },
    () => runChunk(fx, batch, chunk.id, { ...context, requestLog }),
    () => 'done',
  );
}

/** Reads the requests of a batch. `failed` and `full`: the message must come again. */
export async function readUploadLogged(
  fx: Parameter<typeof readUpload, 0>,
  batchId: string,
  { log, ...context }: ReadContext,
  messageId: string,
): Promise<'read' | 'failed' | 'full'> {
  const requestLog = openRequestLog({ messageId, batchId });
  return logged<'read' | 'failed' | 'full'>(
    { log, kind: 'upload', requestLog },
    async () => {
      await readUpload(fx, batchId, context);
      return 'read';
    },
    (error) => (toAppError(error).code === 'too_many_concurrent' ? 'full' : 'failed'),
  );
}
