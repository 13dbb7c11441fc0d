import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cageHere, openCage, type Cage } from '../support/cage/cage.ts';

const run = promisify(execFile);
const { isPossible, missing, title } = await cageHere();
/** With half a core. */
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
    ['a user of Lambda', 'id -u; id -G', '993\n990\n'],
    ['without rights', 'grep -c "^Cap...:.0000000000000000$" /proc/self/status', '5\n'],
    [
      'whose programs may gain rights, as far as the kernel knows',
      'grep NoNewPrivs /proc/self/status',
      '\t0\n',
    ],
    ['without a home or a folder for temporary files', 'echo "$HOME$TMPDIR"', '\n'],
    ['with 1,024 file descriptors', 'ulimit -n; ulimit -H -n', '1024\n1024\n'],
    ['with no shared memory', 'ls /dev/shm', 'No such file or directory'],
    ['who may write nowhere', 'for at in / /usr /etc /dev /proc; do touch $at/x && echo $at; done', ''],
    ['but in /tmp, which is new', 'ls -A /tmp; echo y >/tmp/x; cat /tmp/x', 'y\n'],
    ['and as big as it was given', 'df -m --output=size /tmp | tail -n 1 | tr -d " "', '64\n'],
  ])('is %s', async (_, script, expected) => {
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
  ] as const)('%s is refused', async (call, [first, second = 0], error) => {
    const perl = `print syscall(${CALLS[call]}, ${first}, ${second}, 0, 0, 0), " ", $! + 0`;
    expect(await shell(`perl -e '${perl}'`)).toBe(`-1 ${error}`);
  });

  test('there are 1,024 processes at most', async () => {
    const forks =
      'for $n (1 .. 1100) { $p = fork; defined $p or die "no more than $n"; $p or sleep 9, exit }';
    expect(await shell(`perl -e '${forks}'`)).toMatch(/no more than 10[12]\d at/);
  });

  test.skipIf(missing.includes('limit of memory'))(
    'who takes more memory than there is gets killed',
    async () => {
      const before = (await cage.usage()).oomKills;
      await shell(`"${process.execPath}" -e 'for (const all = []; ; ) all.push(Buffer.alloc(1e7, 1))'`);
      expect((await cage.usage()).oomKills - before).toBe(1);
    },
  );

  test.skipIf(missing.includes('limit of CPU'))('there is as much CPU as comes with the memory', async () => {
    const used = `const until = performance.now() + 600; while (performance.now() < until);
      const { user, system } = process.cpuUsage(); console.log((user + system) / 1e3 / performance.now())`;
    // At its start a group may use a slice at once.
    expect(Number(await shell(`"${process.execPath}" -e '${used}'`))).toBeLessThan(0.7);
  });
});
