import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { pid } from 'node:process';

/** Slices of time: processes that have used up their share wait for the next one. */
const PERIOD_US = 20_000;
/** Where version 1 and version 2 of https://docs.kernel.org/admin-guide/cgroup-v2.html limit CPU time. */
const [V1, V2] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/** Limits processes, and all that they start later, to a number of cores. Needs root, and cgroups that may be written. */
export async function cpuLimit(pids: readonly number[]) {
  const isV1 = existsSync(V1);
  const group = `${isV1 ? V1 : V2}/sitefetch-${pid}-${pids[0]}`;
  await mkdir(group);
  for (const id of pids) await writeFile(`${group}/cgroup.procs`, String(id));
  return {
    async to(cores: number) {
      const quota = String(Math.round(cores * PERIOD_US));
      if (!isV1) return writeFile(`${group}/cpu.max`, `${quota} ${PERIOD_US}`);
      await writeFile(`${group}/cpu.cfs_period_us`, String(PERIOD_US));
      await writeFile(`${group}/cpu.cfs_quota_us`, quota);
    },
    /** To be called once the processes are gone. */
    [Symbol.asyncDispose]: () => rmdir(group),
  };
}
