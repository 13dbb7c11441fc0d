import { inFile, type Mutation } from './mutation.ts';

const STARTED = 'test/functional/started-by-slot.test.ts';
const relaying = inFile('functions/worker/backlog/relay.ts', STARTED);
const choosing = inFile('shared/use-cases/waiting-jobs.ts', STARTED);
const starting = inFile('functions/worker/begin-attempt.ts', STARTED);
const fencing = inFile('shared/domain/job/state.ts', STARTED);
const attempting = inFile('shared/domain/job/attempt.ts', STARTED);
const rechecking = inFile('functions/worker/run-job.ts', STARTED);
const refusing = inFile('functions/worker/take-slot.ts', STARTED);
const showing = inFile('shared/use-cases/current-jobs.ts', STARTED);
const sweeping = inFile('functions/sweeper/sweep-slots.ts', STARTED);
const letting = inFile('functions/worker/let-go.ts', STARTED);
const paging = inFile('shared/adapters/dynamodb/open-items.ts', 'test/contract/jobs.test.ts');

/** What keeps a job of a backlog, which starts with its slot alone, from running twice or losing its slot. */
export const startedBySlotMutations: readonly Mutation[] = [
  relaying(
    '?? (await settle());',
    '?? (await settle());\n      if (hasSlot(usage, slotId) || true) return usage;',
    'a slot that was handed over is used, even if the response of that was lost',
  ),
  choosing(
    'slotsOf(job).length === 0',
    'slotsOf(job).length >= 0',
    'the sweeper starts no worker for jobs that have slots',
  ),
  starting(' || slots.length > 1', '', 'of two workers that choose the same job, the second one leaves it'),
  starting(
    'return isSame ? startedIn(stored, own)',
    'return stored || isSame ? startedIn(stored as OpenJob, own)',
    'a job that was cancelled while its slot was taken is left alone',
  ),
  letting(
    ' : freeSlot(fx, organization, job, job.slot);',
    ' : (void freeSlot, undefined);',
    'a cancel that did not see the slot leaves it to the worker',
  ),
  letting(
    'isKnown ?',
    'isKnown && false ?',
    'a cancel whose process died leaves the slot to the sweeper, which counts it',
  ),
  attempting(
    ' && isRepeatable(job.request);',
    ';',
    'a request that must not be repeated is noted before it is sent',
  ),
  fencing(
    'fenced(release(job, at))',
    'release(job, at)',
    'an attempt that fails for now is counted, and the next one has a result of its own',
  ),
  rechecking(
    'if (usage && isElsewhere(usage, job))',
    'if (usage && isElsewhere(usage, job) && false)',
    'even if its organization was suspended',
  ),
  refusing(
    'return isElsewhere(admission.usage, job)',
    'return isElsewhere(admission.usage, job) && false',
    'even if no credits are left for its slot',
  ),
  attempting(
    ' && slot.token === job.fencingToken',
    '',
    'a slot that an earlier attempt has left behind is no attempt',
  ),
  sweeping(
    ' && slot.token === job.fencingToken',
    '',
    'the sweep of such a slot leaves the attempt in the next one alone',
  ),
  showing(
    'const again = await fx.jobs.find(job.id);',
    'const again = job;',
    'a job that ends while it is shown does not seem to wait again',
  ),
  fencing(
    '{ ...fenced(job), isWaiting',
    '{ ...job, isWaiting',
    'who has read a job before it waited can neither start nor change it',
  ),
  paging('yield* Items;', '{ yield* Items; return; }', 'lists as many jobs of a backlog as it is asked for'),
  inFile('shared/use-cases/list-jobs.ts', STARTED)(
    'page.jobs.map(current)',
    'page.jobs.map((job) => job ?? current(job))',
    'a job of the backlog is in progress once it has a slot, although nothing was written',
  ),
  inFile('shared/use-cases/cancel-batch.ts', STARTED)(
    '(await fx.jobs.findAll(left)).map(current)',
    '(await fx.jobs.findAll(left)).map((job) => job ?? current(job))',
    'a batch that is cancelled keeps its jobs in progress',
  ),
  inFile('functions/sweeper/sweep-backlogs.ts', STARTED)(
    '.map(current);',
    '.map((job) => job ?? current(job));',
    'the end of its time ends it, once its worker had the time for that',
  ),
  inFile('functions/sweeper/bury.ts', STARTED)(
    'stored && (await currentJob(fx, stored))',
    'stored && (currentJob, stored)',
    'a message that comes for it meanwhile waits until its worker must have ended',
  ),
];
