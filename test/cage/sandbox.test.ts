import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cageHere, openCage, type Cage } from '../support/cage/cage.ts';

const run = promisify(execFile);
const { isPossible, missing, title } = await cageHere();
/** This memory comes with half a core. */
const LIMITS = { memoryMb: 885, temporaryMb: 64 };
/** https://github.com/torvalds/linux/blob/master/arch/x86/entry/syscalls/syscall_64.tbl */
const CALLS = { ptrace: 101, prctl: 157, clone: 56, unshare: 272, clone3: 435 };
const [EPERM, EACCES, ENOSYS] = [1, 13, 38];
const [NEW_USER, NO_NEW_PRIVS] = [0x1000_0000, 38];

describe.skipIf(!isPossible)(title, () => {
  let cage: Cage;
  beforeAll(async () => {
    cage = await openCage({ ...LIMITS, readable: {} });
  });
  afterAll(() => cage[Symbol.asyncDispose]());

  const shell = async (script: string) =>
    run(cage.wrapper, ['sh', '-c', script], { env: { HOME: '/root', TMPDIR: '/var/tmp' } }).then(
      ({ stdout, stderr }) => stdout + stderr,
      (error: unknown) => (error as { stderr: string }).stderr,
    );

  test.each([
    ['runs as a user of Lambda', 'id -u; id -G', '993\n990\n'],
    ['has no capabilities', 'grep -c "^Cap...:.0000000000000000$" /proc/self/status', '5\n'],
    ['allows programs to gain privileges, as in Lambda', 'grep NoNewPrivs /proc/self/status', '\t0\n'],
    ['has neither HOME nor TMPDIR', 'echo "$HOME$TMPDIR"', '\n'],
    ['has 1,024 file descriptors', 'ulimit -n; ulimit -H -n', '1024\n1024\n'],
    ['has no shared memory', 'ls /dev/shm', 'No such file or directory'],
    ['has a read-only root', 'for at in / /usr /etc /dev /proc; do touch $at/x && echo $at; done', ''],
    ['has an empty and writable /tmp', 'ls -A /tmp; echo y >/tmp/x; cat /tmp/x', 'y\n'],
    ['has a /tmp of the given size', 'df -m --output=size /tmp | tail -n 1 | tr -d " "', '64\n'],
  ])('the cage %s', async (_, script, expected) => {
    const printed = (await shell(script)).replace(/^touch: .*\n/gm, '');
    if (expected === '') expect(printed).toBe('');
    else expect(printed.endsWith(expected) || printed.includes(expected)).toBe(true);
  });

  test.skipIf(missing.includes('filter of system calls')).each([
    ['ptrace', [0], EPERM],
    ['prctl', [NO_NEW_PRIVS, 1], EACCES],
    ['clone', [NEW_USER], EPERM],
    ['unshare', [NEW_USER], EPERM],
    ['clone3', [0], ENOSYS],
  ] as const)('the system call %s is refused', async (call, [first, second = 0], error) => {
    const perl = `print syscall(${CALLS[call]}, ${first}, ${second}, 0, 0, 0), " ", $! + 0`;
    expect(await shell(`perl -e '${perl}'`)).toBe(`-1 ${error}`);
  });

  test('the number of processes is limited to 1,024', async () => {
    const forks =
      'for $n (1 .. 1100) { $p = fork; defined $p or die "no more than $n"; $p or sleep 9, exit }';
    expect(await shell(`perl -e '${forks}'`)).toMatch(/no more than 10[12]\d at/);
  });

  test.skipIf(missing.includes('limit of memory'))(
    'a process that exceeds the memory is killed',
    async () => {
      const before = (await cage.usage()).oomKills;
      await shell(`"${process.execPath}" -e 'for (const all = []; ; ) all.push(Buffer.alloc(1e7, 1))'`);
      expect((await cage.usage()).oomKills - before).toBe(1);
    },
  );

  test.skipIf(missing.includes('limit of CPU'))('the CPU share follows from the memory', async () => {
    const used = `const until = performance.now() + 600; while (performance.now() < until);
      const { user, system } = process.cpuUsage(); console.log((user + system) / 1e3 / performance.now())`;
    // A new group may use a full slice at once.
    expect(Number(await shell(`"${process.execPath}" -e '${used}'`))).toBeLessThan(0.7);
  });
});
