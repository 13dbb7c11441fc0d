import { inFile, type Mutation } from './mutation.ts';

const BEGUN = 'test/functional/begun-jobs.test.ts';
const relaying = inFile('functions/worker/relay.ts', BEGUN);
const choosing = inFile('shared/use-cases/waiting-jobs.ts', BEGUN);
const begunSlots = inFile('functions/worker/begin-attempt.ts', BEGUN);
const begunState = inFile('shared/domain/job/state.ts', BEGUN);
const letting = inFile('functions/worker/let-go.ts', BEGUN);

/** What keeps a job of a backlog, which begins with its slot alone, from running twice or losing its slot. */
export const begunMutations: readonly Mutation[] = [
  relaying(
    '?? (await settle());',
    '?? (await settle());\n      if (hasSlot(usage, slotId) || true) return usage;',
    'a slot that was handed over is used, even if the response of that was lost',
  ),
  choosing(
    'const begun = new Set((usage ?',
    'const begun = new Set((usage && false ?',
    'the sweeper starts no worker for jobs that have slots',
  ),
  begunSlots(' || slots.length > 1', '', 'of two workers that choose the same job, the second one leaves it'),
  begunSlots(
    'return isSame ? beginIn(stored, own)',
    'return stored || isSame ? beginIn(stored as OpenJob, own)',
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
  begunState(
    ' && isRepeatable(job.request);',
    ';',
    'a request that must not be repeated is noted before it is sent',
  ),
  begunState(
    'fenced(release(job, at))',
    'release(job, at)',
    'an attempt that fails for now is counted, and the next one has a result of its own',
  ),
];
