import { openTrail } from '../../../shared/observe/trail.ts';
import type { Log } from '../../../shared/observe/log.ts';
import { readUpload } from './read-upload.ts';

type Context = Parameters<typeof readUpload>[2] & { log: Log };

/** Reads an upload and logs a line. False if that failed and the message must come again. */
export async function readUploadLogged(
  fx: Parameters<typeof readUpload>[0],
  batchId: string,
  { log, ...context }: Context,
  messageId: string,
): Promise<boolean> {
  const trail = openTrail({ messageId, batchId });
  const isRead = await readUpload(fx, batchId, context).then(
    () => true,
    (error: unknown) => {
      trail.fail(error);
      return false;
    },
  );
  trail.write(log, 'upload');
  return isRead;
}
