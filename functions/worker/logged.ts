import type { Batch } from '../../shared/contract/batches/batch.ts';
import { toAppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/observe/log.ts';
import { logged, openRequestLog } from '../../shared/observe/request-log.ts';
import type { ReadContext } from './batches/divide-upload.ts';
import { type ReadNeeds, readUpload } from './batches/read-upload.ts';
import type { ChunkContext, ChunkOutcome, RunChunkNeeds } from './batches/claim-chunk.ts';
import { runChunk } from './batches/run-chunk.ts';
import type { JobOutcome } from './jobs/job-outcome.ts';
import type { AttemptNeeds } from './jobs/attempt-job.ts';
import type { PlanContext, PlanNeeds } from '../../shared/use-cases/crawls/merge-step.ts';
import { planCrawl } from '../../shared/use-cases/crawls/plan-crawl.ts';
import { type KnownJob, runJob, type RunContext } from './jobs/run-job.ts';

type JobContext = Omit<RunContext, 'requestLog'> & { log: Log };
type LinesContext = Omit<ChunkContext, 'requestLog'> & { log: Log };
type LoggedReadContext = ReadContext & { log: Log };
type LoggedPlanContext = Omit<PlanContext, 'requestLog'> & { log: Log };

export type LoggedNeeds = AttemptNeeds & RunChunkNeeds & ReadNeeds & PlanNeeds;

const FAULT_DELAY_SECONDS = 10;

/** Runs a job. After an unexpected error a message brings it back. */
export async function runJobLogged(
  fx: AttemptNeeds,
  known: KnownJob,
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
  fx: RunChunkNeeds,
  { batch, chunk }: { batch: Batch; chunk: { id: string } },
  { log, ...context }: LinesContext,
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
  fx: ReadNeeds,
  batchId: string,
  { log, ...context }: LoggedReadContext,
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

/** Plans a crawl on. False if the message must come again. */
export async function planCrawlLogged(
  fx: PlanNeeds,
  crawlId: string,
  { log, robotsToken, signal }: LoggedPlanContext,
  messageId: string,
): Promise<boolean> {
  const requestLog = openRequestLog({ messageId, crawlId });
  return logged(
    { log, kind: 'crawl', requestLog },
    async () => {
      await planCrawl(fx, crawlId, { robotsToken, signal, requestLog });
      return true;
    },
    () => false,
  );
}
