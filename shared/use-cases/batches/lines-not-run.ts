import type { Batch } from '../../contract/batches/batch.ts';
import { snakeKeys } from '../../contract/case.ts';
import { WaveLine } from '../../contract/crawls/wave.ts';
import { FoundAt } from '../../contract/crawls/crawl-view.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import { namesIn } from '../../domain/batches/line-names.ts';
import { splitLines } from '../../domain/batches/split-lines.ts';
import { reasonOfError } from '../../domain/accounts/credits/credits-reason.ts';
import { catalogue, type ErrorCode } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';

export type NotRunNeeds = { uploads: Pick<Effects['uploads'], 'read'> };

/** In place of words about jobs. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  cancelled: 'The batch was cancelled.',
  deadline_exceeded: 'The batch did not finish in time.',
  upload_missing: 'The requests were replaced or deleted while the batch ran.',
  key_not_allowed: 'The key may use no more credits today.',
};

/** The results of a chunk's lines that failed without being run, from the requests themselves. */
export async function* linesNotRun(
  fx: NotRunNeeds,
  { upload, crawlId }: Batch,
  chunk: Chunk,
): AsyncGenerator<Buffer> {
  const { rest: errorCode } = chunk;
  const { key, version = '' } = upload;
  const stream = await fx.uploads.read({ key, version }, chunk.at, chunk.at + chunk.bytes);
  if (stream === undefined || errorCode === undefined) return;
  const attempts = new Map(chunk.retries.map((retry) => [retry.line, retry.attempts]));
  const end = {
    creditsUsed: 0,
    creditsReason: reasonOfError(errorCode),
    error: MESSAGES[errorCode] ?? catalogue[errorCode].message,
    errorCode,
  };
  for await (const { line, content } of splitLines(stream, { line: chunk.firstLine, at: chunk.at })) {
    if (line < chunk.next.line && !attempts.has(line)) continue;
    const head = {
      line,
      ...namesIn(content?.toString()),
      ...(crawlId !== undefined && { crawl: foundAt(content) }),
      status: 'failed',
      attempts: attempts.get(line) ?? 0,
      ...end,
    };
    yield Buffer.from(JSON.stringify(snakeKeys(head)));
  }
}

/** How the URL of a line of a crawl was found. */
function foundAt(content: Buffer | undefined): FoundAt {
  return FoundAt.parse(WaveLine.parse(JSON.parse(content?.toString() ?? '')).crawl);
}
