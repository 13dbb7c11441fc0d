import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { pid } from 'node:process';

/** The scheduler's period: a process that used its share waits for the next one. */
const PERIOD_US = 20_000;
/** CPU limits of cgroups 1 and 2: https://docs.kernel.org/admin-guide/cgroup-v2.html */
const [V1, V2] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/** Limits processes and their later children to a number of cores. Needs root and writable cgroups. */
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
    /** Call it after the processes have ended. */
    [Symbol.asyncDispose]: () => rmdir(group),
  };
}
