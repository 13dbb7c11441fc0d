import { openRequestLog } from '../../../shared/observe/request-log.ts';
import type { Log } from '../../../shared/observe/log.ts';
import type { Work } from '../backlog/choose-work.ts';
import { runChunk } from './run-chunk.ts';
import type { ChunkContext, ChunkVerdict } from './run-turn.ts';

type Needs = Parameters<typeof runChunk>[0];
type Context = Omit<ChunkContext, 'requestLog'> & { log: Log };

/** Runs lines of an upload and logs one line for them. An unexpected error leaves them to the sweeper. */
export async function runChunkLogged(
  fx: Needs,
  { batch, chunk }: Extract<Work, { chunk: unknown }>,
  { log, ...context }: Context,
): Promise<ChunkVerdict> {
  const requestLog = openRequestLog();
  const verdict = await runChunk(fx, batch, chunk.id, { ...context, requestLog }).catch((error: unknown) => {
    requestLog.fail(error);
    return 'done' as const;
  });
  requestLog.write(log, 'lines');
  return verdict;
}
