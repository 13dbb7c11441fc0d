import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export type Limits = { memoryMb: number; processes: number; cores: number };

export type Usage = {
  /** Anonymous memory, and files in /tmp, which are memory in the cage. */
  memoryMb: number;
  temporaryMb: number;
  peakMb: number;
  /** Processes and threads. */
  processes: number;
  /** Processes that were killed when memory ran out. */
  oomKills: number;
};

export type ControlGroups = {
  /** Files to which a process writes its id, so that the limits apply to it and its children. */
  procs: string[];
  /** The limits that could not be set. */
  missing: Controller[];
  usage: () => Promise<Usage>;
  /** Call it once the processes have ended. */
  remove: () => Promise<void>;
};

export type Controller = 'memory' | 'pids' | 'cpu';
type Files = (limits: Limits) => [file: string, value: string | number][];

const ROOT = '/sys/fs/cgroup';
const MIB = 1_048_576;
/** Slices of time: processes that have used up their share wait for the next one. */
const PERIOD_US = 20_000;
const REMOVED_WITHIN_MS = 5_000;
const controllers = ['memory', 'pids', 'cpu'] as const;

/** https://docs.kernel.org/admin-guide/cgroup-v1/ and https://docs.kernel.org/admin-guide/cgroup-v2.html */
const versions: Record<'v1' | 'v2', Record<Controller, Files>> = {
  v1: {
    memory: ({ memoryMb }) => [['memory.limit_in_bytes', memoryMb * MIB]],
    pids: ({ processes }) => [['pids.max', processes]],
    cpu: ({ cores }) => [
      ['cpu.cfs_period_us', PERIOD_US],
      ['cpu.cfs_quota_us', Math.round(cores * PERIOD_US)],
    ],
  },
  v2: {
    memory: ({ memoryMb }) => [['memory.max', memoryMb * MIB]],
    pids: ({ processes }) => [['pids.max', processes]],
    cpu: ({ cores }) => [['cpu.max', `${Math.round(cores * PERIOD_US)} ${PERIOD_US}`]],
  },
};

/** Limits memory, processes and CPU as far as this machine can, with either version of control groups. */
export async function controlGroups(limits: Limits): Promise<ControlGroups> {
  const name = `sitefetch-cage-${randomUUID()}`;
  const folders = new Map<Controller, string>();
  for (const controller of controllers) {
    const folder = await limited(controller, name, limits).catch(() => undefined);
    if (folder !== undefined) folders.set(controller, folder);
  }
  return {
    procs: [...new Set(folders.values())].map((folder) => join(folder, 'cgroup.procs')),
    missing: controllers.filter((controller) => !folders.has(controller)),
    usage: () => usage(folders),
    remove: async () => {
      await Promise.all([...new Set(folders.values())].map(remove));
    },
  };
}

async function limited(controller: Controller, name: string, limits: Limits): Promise<string | undefined> {
  const [version, parent] = (await home(controller)) ?? [];
  if (version === undefined || parent === undefined) return undefined;
  const folder = join(parent, name);
  await mkdir(folder, { recursive: true });
  try {
    for (const [file, value] of versions[version][controller](limits))
      await writeFile(join(folder, file), String(value));
  } catch (error) {
    // In version 2 another controller may use the group too, and then keeps it.
    await rmdir(folder).catch(() => undefined);
    throw error;
  }
  return folder;
}

/** The hierarchy that the controller is in, of version 2 once its groups may have it. */
async function home(controller: Controller): Promise<['v1' | 'v2', string] | undefined> {
  const old = join(ROOT, controller);
  if (existsSync(join(old, 'cgroup.procs'))) return ['v1', old];
  for (const root of [ROOT, join(ROOT, 'unified')]) {
    const offered = await readFile(join(root, 'cgroup.controllers'), 'utf8').catch(() => '');
    if (!offered.trim().split(' ').includes(controller)) continue;
    await writeFile(join(root, 'cgroup.subtree_control'), `+${controller}`);
    return ['v2', root];
  }
  return undefined;
}

async function usage(folders: ReadonlyMap<Controller, string>): Promise<Usage> {
  const read = (controller: Controller, ...files: string[]) => firstOf(folders.get(controller), files);
  const stat = await read('memory', 'memory.stat');
  return {
    memoryMb: field(stat, 'total_rss', 'anon') / MIB,
    temporaryMb: field(stat, 'total_shmem', 'shmem') / MIB,
    peakMb: Number(await read('memory', 'memory.max_usage_in_bytes', 'memory.peak')) / MIB,
    processes: Number(await read('pids', 'pids.current')),
    oomKills: field(await read('memory', 'memory.oom_control', 'memory.events'), 'oom_kill'),
  };
}

async function firstOf(folder: string | undefined, files: string[]): Promise<string> {
  for (const file of files) {
    const text = folder && (await readFile(join(folder, file), 'utf8').catch(() => undefined));
    if (text !== undefined) return text;
  }
  return 'NaN';
}

function field(text: string, ...names: string[]): number {
  for (const name of names) {
    const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
    if (value !== undefined) return Number(value);
  }
  return NaN;
}

/** Its last processes may still be ending. */
async function remove(folder: string): Promise<void> {
  const giveUpAt = performance.now() + REMOVED_WITHIN_MS;
  for (;;) {
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await setTimeout(20);
    }
  }
}
