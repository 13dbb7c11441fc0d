import { toAppError } from '../../../shared/errors.ts';
import { openTrail } from '../../../shared/observe/trail.ts';
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
  const trail = openTrail({ messageId, batchId });
  const outcome = await readUpload(fx, batchId, context).then(
    () => 'read' as const,
    (error: unknown) => {
      trail.fail(error);
      return toAppError(error).code === 'too_many_concurrent' ? 'full' : 'failed';
    },
  );
  trail.write(log, 'upload');
  return outcome;
}
