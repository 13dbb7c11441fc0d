import { inFile, type Mutation } from './mutation.ts';

const UPLOADS = 'test/functional/uploads.test.ts';
const DEATHS = 'test/functional/upload-deaths.test.ts';

const starting = inFile('functions/batches/uploads/start-upload.ts', UPLOADS);
const dividing = inFile('functions/worker/uploads/divide-upload.ts', UPLOADS);
const objecting = inFile('functions/worker/objection-to.ts', UPLOADS);
const owning = inFile('functions/worker/uploads/run-chunk.ts', DEATHS);
const committing = inFile('functions/worker/uploads/run-turn.ts', DEATHS);
const lines = inFile('functions/worker/uploads/run-lines.ts', UPLOADS);
const settling = inFile('shared/use-cases/settle-chunk.ts', DEATHS);
const state = inFile('shared/domain/upload/chunk-state.ts', DEATHS);
const counts = inFile('shared/adapters/dynamodb/chunk-counts.ts', 'test/contract/chunks.test.ts');
const storing = inFile('shared/adapters/dynamodb/dynamodb-chunks.ts', 'test/contract/chunks.test.ts');
const reader = inFile('shared/adapters/s3-uploads.ts', 'test/contract/uploads.test.ts');
const results = inFile('functions/batches/uploads/upload-results.ts', UPLOADS);
const sweeping = inFile('functions/sweeper/sweep-chunks.ts', DEATHS);
const overdue = inFile('functions/sweeper/sweep-backlogs.ts', UPLOADS);
const retrying = inFile('functions/worker/uploads/copy-failed.ts', UPLOADS);

const RUNNER = 'whichever call the worker that runs its lines dies at';
const STALLED = 'whichever call a worker stalls at while others go on';
const CANCELLED = 'are failed when the batch is cancelled, and those in progress end';

/** What keeps an upload exact: each line run, charged, counted and returned once. */
export const uploadMutations: readonly Mutation[] = [
  starting(' || upload.bytes === 0', '', 'is not started without one, and is started once'),
  dividing(
    '  assertTotal(progress.credits, maxCredits);\n',
    '  void assertTotal;\n',
    'could cost more than its max_credits',
  ),
  dividing(
    'if (++progress.requests > MAX_LINES) throw tooManyLines();',
    'progress.requests += 1;',
    'has more than a million requests',
  ),
  objecting(
    "if (organization.status === 'suspended') return 'organization_suspended';",
    '',
    'fail if the organization is suspended',
  ),
  lines(' || (await limits.isCancelled())', '', CANCELLED),
  lines(
    'task.attempts + 1 < MAX_ATTEMPTS',
    'task.attempts + 2 < MAX_ATTEMPTS',
    'is tried again as a job is, and its attempts are counted',
  ),
  owning("  if (!(await fx.chunks.replace(chunk, owned))) return 'done';\n", '', STALLED),
  committing('  if (!(await fx.chunks.replace(owned, committed))) return lose(fx, owned);\n', '', RUNNER),
  committing('  if (!isCommitted) await chargeFor(fx, owned);\n', '', STALLED),
  settling('  const usage = await chargeFor(fx, chunk);\n', '  const usage = undefined;\n', RUNNER),
  state(
    '    version: chunk.version + 1,\n    dueAt: later(now, STALE_MS),\n  };\n}\n\n/** Fails',
    '    dueAt: later(now, STALE_MS),\n  };\n}\n\n/** Fails',
    RUNNER,
  ),
  counts(
    "'attribute_not_exists(#chunk) OR #chunk[0] < :version'",
    "'attribute_not_exists(pk) OR attribute_exists(pk)'",
    'are counted by their newest version, and say when all are done',
  ),
  storing(
    "'#status = :status AND fencing_token = :token AND version = :version'",
    "'fencing_token >= :token OR version >= :version OR #status = :status'",
    'wait in their batch, and are the sweeper’s while somebody has them',
  ),
  reader(
    ', IfMatch: version',
    '',
    'an upload is sent by a link, and read in parts as long as it is the same',
  ),
  results('      if (lines <= skipped) continue;\n', '', 'has results that go on after any line'),
  sweeping("if (chunk.status === 'settling') await settleChunk(fx, batch, chunk);\n  else if", 'if', RUNNER),
  overdue("await failChunk(fx, batch, chunk, 'deadline_exceeded');", '', 'fail at the deadline of the batch'),
  retrying(' && invalid !== true', '', 'is a new batch of the failed requests as they were'),
];
