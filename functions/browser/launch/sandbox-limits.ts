import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { getgroups, getuid } from 'node:process';

const STATUS = /^(CapEff|NoNewPrivs|Seccomp|Seccomp_filters|Threads):/;
const LIMITS = /^Max (processes|open files|address space|core file size) /;
const MOUNTS = /^\S+ (\/|\/tmp|\/dev|\/dev\/shm|\/proc|\/opt) /;

/** The limits that explain why Chromium failed to start. */
export async function sandboxLimits(): Promise<Record<string, unknown>> {
  const [status, limits, mounts] = await Promise.all([
    linesOf('/proc/self/status', STATUS),
    linesOf('/proc/self/limits', LIMITS),
    linesOf('/proc/self/mounts', MOUNTS),
  ]);
  return { kernel: release(), uid: getuid?.(), groups: getgroups?.(), status, limits, mounts };
}

async function linesOf(path: string, pattern: RegExp): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) => line.replaceAll(/\s+/g, ' ').trim());
}
