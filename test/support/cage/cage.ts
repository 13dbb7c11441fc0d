import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { controlGroups, type Controller, type Usage } from './control-groups.ts';

type CageOptions = {
  /** The limits that a stage gives the function. */
  memoryMb: number;
  /** The size of /tmp in the template. */
  temporaryMb: number;
  /** Paths that can be read inside besides the system, by their path inside. */
  readable: Readonly<Record<string, string>>;
};

export type Part = 'filter of system calls' | 'limit of memory' | 'limit of CPU';

/** Imitates Lambda's sandbox: a process in it has the access of a function there, and no more. */
export type Cage = {
  /** Runs its arguments as a command inside; the value of AWS_LAMBDA_EXEC_WRAPPER. */
  wrapper: string;
  /** Limits that this machine cannot set. */
  missing: Part[];
  usage: () => Promise<Usage>;
  /** Call it once nothing runs inside. */
  [Symbol.asyncDispose]: () => Promise<void>;
};

type Three = [string, string, string];

const run = promisify(execFile);
const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const ROOT = beside('../../../');

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAX_PROCESSES = 1_024;
/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
const MIB_A_CORE = 1_769;
const LIMITS: Partial<Record<Controller, Part>> = { memory: 'limit of memory', cpu: 'limit of CPU' };
/** The path of its command inside. */
const CONFINE = '/confine';
const PASSWD = 'sbx_user1051:x:993:990::/home/sbx_user1051:/sbin/nologin\n';

/** The limits of a cage that this machine can set, and a title for the tests in it. */
export async function cageHere(): Promise<{ isPossible: boolean; missing: Part[]; title: string }> {
  const impossible = (reason: string) => ({ isPossible: false, missing: [], title: `skipped, ${reason}` });
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return impossible('a cage takes root on Linux');
  try {
    await using cage = await openCage({ memoryMb: 512, temporaryMb: 16, readable: {} });
    await run(cage.wrapper, ['true']);
    const { missing } = cage;
    const without = missing.length > 0 ? `, without a ${missing.join(' and a ')}` : '';
    return { isPossible: true, missing, title: `in the cage${without}` };
  } catch (error) {
    const { stderr = String(error) } = error as { stderr?: string };
    return impossible(`no cage can be made here: ${stderr.trim()}`);
  }
}

export async function openCage({ memoryMb, temporaryMb, readable }: CageOptions): Promise<Cage> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefetch-cage-'));
  const [root, passwd, wrapper] = ['root', 'passwd', 'wrapper'].map((name) => join(folder, name)) as Three;
  const confine = await confineCommand();
  const groups = await controlGroups({
    memoryMb,
    processes: MAX_PROCESSES,
    cores: memoryMb / MIB_A_CORE,
  });
  const inside = {
    ...readable,
    [process.execPath]: process.execPath,
    '/etc/passwd': passwd,
    ...(confine !== undefined && { [CONFINE]: confine }),
  };
  const entering = [
    beside('enter.sh'),
    root,
    String(temporaryMb),
    confine === undefined ? '' : CONFINE,
    // By user if there is no group for them.
    groups.missing.includes('pids') ? String(MAX_PROCESSES) : '',
    ...Object.entries(inside).map(([to, from]) => `${from}=${to}`),
    '--',
  ];
  await mkdir(root);
  await writeFile(passwd, PASSWD);
  await writeFile(wrapper, wrapperScript(groups.procs, entering), { mode: 0o755 });
  return {
    wrapper,
    missing: [
      ...(confine === undefined ? (['filter of system calls'] as const) : []),
      ...groups.missing.flatMap((controller) => LIMITS[controller] ?? []),
    ],
    usage: groups.usage,
    async [Symbol.asyncDispose]() {
      await groups.remove();
      await rm(folder, { recursive: true });
    },
  };
}

/** Joins the groups, and runs the rest of its command line in namespaces of its own. */
function wrapperScript(procs: readonly string[], entering: readonly string[]): string {
  const joining = procs.map((file) => `echo $$ >${quoted(file)}\n`).join('');
  const words = entering.map(quoted).join(' ');
  return `#!/bin/sh\nset -e\n${joining}exec unshare --mount --pid --ipc --fork --kill-child /bin/sh ${words} "$@"\n`;
}

/** Compiles `confine` once per source. Undefined if it cannot be compiled or its filter cannot be set. */
async function confineCommand(): Promise<string | undefined> {
  const source = beside('confine.c');
  const hash = createHash('sha256')
    .update(await readFile(source))
    .digest('hex');
  const command = join(ROOT, `.cache/confine-${hash.slice(0, 16)}`);
  const draft = `${command}.${process.pid}`;
  try {
    await mkdir(join(ROOT, '.cache'), { recursive: true });
    if (!existsSync(command)) {
      await run('cc', ['-O2', '-o', draft, source]);
      await rename(draft, command);
    }
    await run(command, ['true']);
    return command;
  } catch {
    return undefined;
  }
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
