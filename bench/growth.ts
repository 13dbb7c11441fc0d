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
/** Far more than in production: listings read the index of unfinished jobs, and one write seeds them. */
const OPEN = 0.9;

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
  await service.add({ open: jobs * OPEN, settled: jobs - jobs * OPEN, organizations });
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
const costs = rows.map(({ status, due, admission, settlement, listed }) =>
  [status, due, admission, settlement, listed].join(),
);
if (new Set(costs).size > 1) process.exitCode = 1;
