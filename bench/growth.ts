/**
 * Capacity units of single operations from ten jobs to a million: docs/scaling.md. `--jobs`,
 * `--organizations` and `--emulator dynalite|dynamodb-local` change sizes and emulator.
 */
import { parseArgs } from 'node:util';
import { DUE, smallService } from '../test/support/growth.ts';
import { startDynamodb } from './start-dynamodb.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000000' },
    organizations: { type: 'string', default: '10000' },
    emulator: { type: 'string', default: 'dynalite' },
  },
});
const STEPS = 10;
/** Far more unfinished than in production: listings read their index, and one write seeds them. */
const [DUE_LATER, WAITING, SETTLED] = [0.5, 0.4, 0.1];

await using world = await startDynamodb(values.emulator);
const service = await smallService(world);
const jobs = Number(values.jobs) / STEPS;
const organizations = Number(values.organizations) / STEPS;

const rows = [
  {
    jobs: DUE,
    organizations: 1,
    ...(await service.costs()),
    listed: (await service.due()).length,
    seconds: 0,
  },
];
const startedAt = performance.now();
for (let step = 1; step <= STEPS; step++) {
  await service.add({
    open: jobs * DUE_LATER,
    waiting: jobs * WAITING,
    settled: jobs * SETTLED,
    batches: organizations,
    chunks: organizations,
    organizations,
  });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const listed = (await service.due()).length;
  rows.push({
    jobs: jobs * step,
    organizations: organizations * step,
    ...(await service.costs()),
    listed,
    seconds,
  });
  console.error(rows.at(-1));
}
console.table(rows);
const SIZES = ['jobs', 'organizations', 'seconds'];
const costs = rows.map((row) =>
  JSON.stringify(Object.entries(row).filter(([name]) => !SIZES.includes(name))),
);
if (new Set(costs).size > 1) process.exitCode = 1;
