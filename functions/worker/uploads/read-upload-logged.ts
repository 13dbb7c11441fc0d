import { toAppError } from '../../../shared/errors.ts';
import { openRequestLog } from '../../../shared/observe/request-log.ts';
import type { Log } from '../../../shared/observe/log.ts';
import { readUpload } from './read-upload.ts';

type Context = Parameters<typeof readUpload>[2] & { log: Log };

/** Reads an upload and logs a line. `failed` and `full`: the message must come again. */
export async function readUploadLogged(
  fx: Parameters<typeof readUpload>[0],
  batchId: string,
  { log, ...context }: Context,
  messageId: string,
): Promise<'read' | 'failed' | 'full'> {
  const requestLog = openRequestLog({ messageId, batchId });
  const outcome = await readUpload(fx, batchId, context).then(
    () => 'read' as const,
    (error: unknown) => {
      requestLog.fail(error);
      return toAppError(error).code === 'too_many_concurrent' ? 'full' : 'failed';
    },
  );
  requestLog.write(log, 'upload');
  return outcome;
}
