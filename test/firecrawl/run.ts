/** `node test/firecrawl/run.ts`: Firecrawl's SDK with its own tests, and its programs, on the local stack. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PUBLIC } from '../egress/namespace/network.ts';
import { CASES, LEFT_OUT } from './left-out.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = `${ROOT}.cache/firecrawl`;
const MODULES = `${ROOT}test/firecrawl/node_modules`;
const RESOLVER = `${FOLDER}/resolv.conf`;

/** A network without the internet, where the names that the tests use lead to this machine. */
const NETWORK = [
  'ip link set lo up',
  `ip addr add ${PUBLIC} dev lo`,
  `mount --bind '${RESOLVER}' /etc/resolv.conf`,
  'exec "$@"',
].join(' && ');

type Result = { fullName: string; status: string };
type Report = { testResults: { name: string; assertionResults: Result[] }[] };

await copySdk();
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.firecrawl.config.ts'];
const inside = [process.execPath, 'test/firecrawl/with-stack.ts', ...vitest];
const command = ['--map-root-user', '--net', '--mount', 'sh', '-c', NETWORK, 'sh', ...inside];
const child = spawn('unshare', command, { cwd: ROOT, stdio: 'inherit' });
await once(child, 'exit');
const faults = faultsIn(JSON.parse(await readFile(`${FOLDER}/report.json`, 'utf8')) as Report);
for (const [name, reason] of Object.entries(LEFT_OUT)) console.log(`Left out: ${name}: ${reason}.`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Outside of node_modules, where TypeScript is compiled. The packages that it imports are beside it. */
async function copySdk(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  await cp(`${MODULES}/@mendable/firecrawl-js`, `${FOLDER}/sdk`, { recursive: true });
  await symlink(MODULES, `${FOLDER}/node_modules`);
  await writeFile(RESOLVER, 'nameserver 127.0.0.1\n');
}

/** Cases that neither passed nor are known to be left out, and a list that is no longer right. */
function faultsIn({ testResults }: Report): string[] {
  const of = (isSdk: boolean) =>
    testResults
      .filter(({ name }) => name.startsWith(FOLDER) === isSdk)
      .flatMap(({ assertionResults }) => assertionResults);
  const [cases, clients] = [of(true), of(false)];
  const failed = clients.filter(({ status }) => status !== 'passed');
  const passed = cases.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName);
  const unknown = cases.filter(({ fullName, status }) => status !== 'passed' && !(fullName in LEFT_OUT));
  const gone = Object.keys(LEFT_OUT).filter((name) => !cases.some(({ fullName }) => fullName === name));
  console.log(`${passed.length} of ${cases.length} cases passed.`);
  console.log(`${clients.length - failed.length} of ${clients.length} tests of programs passed.`);
  return [
    ...(clients.length === 0 ? ['No program was tested.'] : []),
    ...[...unknown, ...failed].map(({ fullName, status }) => `${status}: ${fullName}`),
    ...gone.map((name) => `The SDK has no such case: ${name}`),
    ...(cases.length === CASES ? [] : [`The SDK has ${cases.length} cases, not ${CASES}.`]),
  ];
}
