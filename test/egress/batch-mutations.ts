import { inFile, type Mutation } from './mutation.ts';

const BATCHES = 'test/functional/batches.test.ts';
const DEATHS = 'test/functional/batch-deaths.test.ts';
const PORT = 'test/contract/batches.test.ts';

const parsing = inFile('shared/request/parse-batch-request.ts', BATCHES);
const submitting = inFile('functions/batches/submit-batch.ts', BATCHES);
const preparing = inFile('functions/batches/submit-batch.ts', DEATHS);
const settling = inFile('shared/use-cases/finish-job.ts', DEATHS);
const counting = inFile('shared/use-cases/count-in-batch.ts', DEATHS);
const cancelling = inFile('shared/use-cases/cancel-batch.ts', BATCHES);
const retrying = inFile('functions/batches/retry-failed.ts', BATCHES);
const reading = inFile('functions/batches/batch-results.ts', BATCHES);
const finding = inFile('shared/use-cases/find-batch.ts', BATCHES);
const listing = inFile('shared/use-cases/list-jobs.ts', BATCHES);
const choosing = inFile('functions/worker/backlog/choose-work.ts', BATCHES);
const accepting = inFile('shared/adapters/dynamodb/unaccepted-batches.ts', PORT);
const ending = inFile('shared/adapters/dynamodb/batch-ends.ts', PORT);
const sweeping = inFile('functions/sweeper/sweep-batches.ts', BATCHES);

const REFUSED = 'with the faults of every request, by their paths';
const COST = 'if all of it could cost more than its max_credits, or than is left';
const CANCELLED = 'begins no more jobs, lets those in progress complete, and costs what they cost';
const OWN = 'are listed newest first, each on one page, and seen by their organization alone';

/** What keeps a batch all or nothing, exact, within its cap and its owner's. */
export const batchMutations: readonly Mutation[] = [
  parsing(
    '  if (!data || faults.length > 0) throw invalidBatch(faults);\n  const items',
    '  const items',
    REFUSED,
  ),
  submitting('  assertTotal(credits, maxCredits);\n', '', COST),
  submitting('assertCap(item, `requests[${index}].max_credits`)', 'void [assertCap, item, index]', COST),
  submitting('  call.meter.assertCredits(credits);\n', '', COST),
  preparing(
    '  if (!(await fx.batches.accept(batch))) throw inFlight();\n',
    '',
    'whichever call its worker dies at',
  ),
  settling('    countInBatch(fx, job, undefined),\n', '', 'whichever call its worker dies at'),
  counting('= isLast ?', '= !isLast ?', 'whichever call its worker dies at'),
  counting(
    '  if (batch) await tellOfBatch(',
    '  if (batch && batch.total < 0) await tellOfBatch(',
    'whichever call its worker dies at',
  ),
  cancelling(
    '  if (cancelled) await cancelRest(fx, cancelled, AbortSignal.timeout(CANCEL_MS));\n',
    '  if (cancelled) void CANCEL_MS;\n',
    CANCELLED,
  ),
  cancelling(' || job.nextAttemptAt !== undefined', '', 'does not try a job again that fails afterwards'),
  retrying(
    '  assertKept(jobs);\n',
    '  void assertKept;\n',
    'is refused if a request had headers, cookies, a body or a scenario, which are not kept',
  ),
  reading('!read.has(index)', 'index >= 0', 'go on after any line'),
  finding('batch?.orgId !== orgId', 'batch === undefined', OWN),
  listing('batch?.orgId === orgId && !isUpload(batch) ? ', 'batch && !isUpload(batch) ? ', OWN),
  choosing(
    '  if (single) return { job: single };\n',
    '  void single;\n',
    'runs after single jobs, in turn with other batches',
  ),
  sweeping(
    "      else if (batch.state === 'preparing') await fx.batches.abandon(batch, later(fx.now(), PREPARE_MS));\n      else if (batch.state === 'reading')",
    "      void PREPARE_MS;\n      if (batch.state === 'preparing') await fx.batches.abandon(batch, fx.now());\n      if (batch.state !== 'accepted') swept.discarded += await discard(fx, batch);\n      else if (batch.state === 'reading')",
    'leaves no job behind if it is repeated while it is being cleaned up',
  ),
  accepting(
    "        condition: '#state = :preparing',\n",
    '',
    'are abandoned instead, once, and then discarded',
  ),
  ending(
    'if_not_exists(cancelled_at, :now)',
    ':now',
    'are cancelled at the first time, and due again as often as wanted',
  ),
];
