/** The twelve bits of a UUIDv7 after its time and version. */
const AFTER_TIME = /^(.{15})(.{3})(.*)$/;

/**
 * The id of a job in a batch: the batch's own, with the index in the twelve bits after the time. So it is
 * known without a look-up, and sorts by batch and index. Indexes are below 4,096.
 */
export function jobIdOf(batchId: string, index: number): string {
  return batchId.replace(AFTER_TIME, `$1${index.toString(16).padStart(3, '0')}$3`);
}

/** The index of a job in a batch; undefined for a job outside it. */
export function indexOf(batchId: string, jobId: string): number | undefined {
  const index = Number.parseInt(AFTER_TIME.exec(jobId)?.[2] ?? '', 16);
  return Number.isInteger(index) && jobIdOf(batchId, index) === jobId ? index : undefined;
}

/** The ids of all jobs of a batch, in the order of its requests. */
export function jobIdsOf({ id, total }: { id: string; total: number }): string[] {
  return Array.from({ length: total }, (_, index) => jobIdOf(id, index));
}
