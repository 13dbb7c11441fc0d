import { inFile, type Mutation } from './mutation.ts';

const BACKLOG = 'test/functional/backlog.test.ts';
const ACCOUNTS = 'test/contract/accounts.test.ts';

const notes = inFile('shared/adapters/dynamodb/waiting-writes.ts', ACCOUNTS);
const slots = inFile('shared/domain/credits/slots.ts', ACCOUNTS);
const consuming = inFile('functions/worker/consume.ts', BACKLOG);
const working = inFile('functions/worker/backlog/work-off.ts', BACKLOG);
const steppingBack = inFile('functions/worker/step-back.ts', BACKLOG);
const metering = inFile('shared/http/meter.ts', BACKLOG);
const sweeping = inFile('functions/sweeper/sweep-backlogs.ts', BACKLOG);
const LISTED = 'test/functional/listed-jobs.test.ts';
const submitting = inFile('functions/jobs/submit-job.ts', LISTED);
const scraping = inFile('functions/scraper/scrape-now.ts', LISTED);
const owning = inFile('functions/worker/while-owned.ts', LISTED);
const waiting = inFile('functions/jobs/result-on-submit.ts', LISTED);
const HANDED = 'test/contract/hand-over.test.ts';
const RELAYED = 'test/functional/hand-over.test.ts';
const handing = inFile('shared/adapters/dynamodb/hand-over-usage.ts', HANDED);
const passing = inFile('shared/adapters/dynamodb/cap-writes.ts', HANDED);
const relaying = inFile('functions/worker/backlog/relay.ts', RELAYED);
const rechecking = inFile('functions/worker/run-job.ts', RELAYED);
const listing = inFile('shared/use-cases/list-jobs.ts', LISTED);
const faulty = inFile('functions/worker/consume.ts', BACKLOG);
const discarding = inFile('functions/worker/scrape-job.ts', LISTED);

const HELD = 'test/functional/swept-slots.test.ts';
const sweepingSlots = inFile('functions/sweeper/sweep-slots.ts', HELD);
const takingAway = inFile('shared/use-cases/take-away.ts', HELD);
const forgetting = inFile('functions/sweeper/sweep-backlogs.ts', HELD);
const releasing = inFile('shared/domain/job/state.ts', HELD);
const recording = inFile('shared/use-cases/finish-job.ts', HELD);
const admitting = inFile('shared/adapters/dynamodb/usage-writes.ts', ACCOUNTS);
const leaving = inFile('functions/worker/scrape-job.ts', BACKLOG);
const starting = inFile('functions/worker/begin-attempt.ts', HELD);
const resuming = inFile('functions/worker/begin-attempt.ts', 'test/contract/faults.test.ts');
const beginning = inFile('functions/worker/scrape-job.ts', HELD);
const claiming = inFile('functions/jobs/submit-job.ts', HELD);
const reaching = inFile('shared/domain/credits/admission.ts', ACCOUNTS);
const indexing = inFile('shared/adapters/dynamodb/job-item.ts', 'test/contract/jobs.test.ts');

const ONCE = 'test/egress/posts-under-fire.test.ts';
const marking = inFile('shared/domain/job/attempt.ts', ONCE);
const judging = inFile('functions/worker/objection-to.ts', ONCE);
const fetching = inFile('shared/egress/fetch/static-fetch.ts', ONCE);
const SENT_ONCE = 'a job sends its POST once';

/** What keeps jobs from being forgotten while they wait, and callers from paying more than they allow. */
export const backlogMutations: readonly Mutation[] = [
  marking('...(!isRepeatable(job.request) && { maybeSent: true as const }),', '', SENT_ONCE),
  judging("  if (maySendNoMore(job)) return 'maybe_sent';\n", '', SENT_ONCE),
  fetching('isOnce && (isRedirected', '!isOnce && (isRedirected', SENT_ONCE),
  notes("'size(slots) >= :slots'", "':slots = :slots'", 'note that jobs wait only while all slots are taken'),
  slots(
    'concurrency), concurrency - share',
    'concurrency), concurrency',
    'keep a tenth of the slots for sync scrapes, for a minute after the last one',
  ),
  consuming(
    '  if (verdict.awaitedIn !== undefined) await workOffSafely(fx, verdict.awaitedIn, context);\n',
    '',
    'jobs behind taken slots wait without a message, and run one after another in those slots',
  ),
  steppingBack(
    ', ...(usage?.isAwaited && { awaitedIn: organization.id }) }',
    ' }',
    'a job that came by a message and fails for now leaves its slot to the backlog at once',
  ),
  metering(
    '  if (usage.isAwaited) await fx.queue?.wake(organization.id);\n',
    '',
    'a sync scrape that frees a slot starts a job in it',
  ),
  working(
    'return fx.queue.wake(orgId);',
    'return;',
    'a worker at the end of its time hands the backlog over',
  ),
  working(
    '  await fx.queue.send(work.job, verdict.afterSeconds);\n',
    '',
    'a job that fails for now leaves its slot to the next one, and comes back by a message',
  ),
  handing(
    "'size(slots) <= :slots',",
    "'NOT :slots = :rest',",
    'is not taken beyond the concurrency, even if that was lowered',
  ),
  handing(
    "'available >= :missing'",
    "'NOT :missing = :slots'",
    'pays for the next job with what the first one returns, and with no more than there is',
  ),
  handing(
    "      'attribute_not_exists(slots.#next)',\n",
    '',
    'is not taken if another process has settled it, or if the next job has a slot',
  ),
  passing("'spent.#key <= :room'", "'NOT :room = :key'", 'passes the cap of a key on, exactly'),
  relaying(
    'slot: { id: next.slot.id, usage }',
    "slot: { id: 'another', usage }",
    'a slot goes from one job to the next without being free in between',
  ),
  relaying(
    '(await turn.isOver()) ? undefined : await chosen',
    'await chosen',
    'a worker at the end of its time hands its slot to nobody',
  ),
  rechecking(
    'const objection = await objectionToJob(fx, job, organization);',
    'const objection = handedOver ? undefined : await objectionToJob(fx, job, organization);',
    'a job that was chosen fails without being fetched if its organization is suspended',
  ),
  sweepingSlots(
    '  await freeSlot(fx, organization, job, slot.slotId);\n',
    '  void freeSlot;\n',
    'frees a slot that an earlier owner left behind',
  ),
  sweepingSlots(
    '  if (mayStart && !(await fx.jobs.replace(job, fenced(job)))) return undefined;\n',
    '  void [mayStart, fenced];\n',
    'frees a slot in which a job did not begin, and lets its worker begin no more',
  ),
  sweepingSlots(
    '  if (ageOf(slot, fx.now()) < STRAY_MS) return undefined;\n',
    '',
    'frees a slot in which a job did not begin, and lets its worker begin no more',
  ),
  sweepingSlots(
    '    await settleJob(fx, job);\n',
    '    void settleJob;\n',
    'records and charges a job whose worker died once it had ended, once',
  ),
  takingAway(
    'await freeSlot(fx, organization, job, job.slot);',
    'void freeSlot;',
    'takes a job from a worker that died, and frees its slot',
  ),
  rechecking(
    'own ? freeSlot(fx, organization, job, own.id)',
    'own ? (void freeSlot, fx.accounts.usage(organization, fx.now()))',
    'a job that was chosen fails without being fetched if its organization is suspended',
  ),
  releasing(
    'return fenced(release(job, now));',
    'return release(job, now);',
    'takes a job from a worker that is too late, whose page no longer counts',
  ),
  forgetting(
    ' && slotsOfJobs(usage).length === 0',
    '',
    'looks at an organization while its jobs have slots, and for ten minutes after its last note',
  ),
  leaving(
    ', ...(isAwaited && { awaitedIn: organization.id }) };',
    ' };',
    'a second slot that a repeated message took is left to a job that waits',
  ),
  recording(
    'if (seen && usage && isAwaited(job, usage) && !isAwaited(job, seen)) await tellOfJob(fx, job, usage);',
    '',
    'an endpoint that is created while a job runs receives its event',
  ),
  admitting(
    "...(isOfJob(place.id) ? ['is_listed = :true'] : []),",
    '',
    'list an organization before one of its jobs has a slot',
  ),
  sweepingSlots(
    "  if (job.status === 'pending' && ageOf(slot, fx.now()) < STRAY_MS) return undefined;\n",
    '',
    'sends a job again whose message was lost after its submit had taken a slot',
  ),
  sweepingSlots(
    '  if (ageOf(slot, fx.now()) < ABANDONED_MS) return undefined;\n',
    '',
    'frees a slot whose submit died before it stored the job',
  ),
  beginning(
    '  if (slot.id === before.slot) return again;\n',
    '',
    'a job whose message comes twice begins once in the slot of its submit',
  ),
  starting(
    'stored.owner === owner',
    'stored.slot !== undefined',
    'a job whose message comes twice begins once in the slot of its submit',
  ),
  claiming(
    'if (idempotencyKey !== undefined) await call.meter.draw();',
    '',
    'a repeated submit takes no second slot',
  ),
  reaching('!usage.isAwaited && ', '', 'take an optional slot only if it is free and nobody waits for it'),
  resuming(
    ' || (await hasStarted(jobs, job))',
    ' || (hasStarted, false)',
    'a bad network neither duplicates nor loses anything',
  ),
  indexing(
    ' && job.slot === undefined',
    '',
    'lists the jobs of a backlog by their deadlines, until a worker starts them',
  ),
  sweeping(
    'let overdue = await failOverdue(fx, { orgId }, signal);',
    'let overdue = 0;',
    'a job that waits does not become overdue unnoticed, and fails without a worker',
  ),
  submitting(
    '  assertCap(request);\n',
    '',
    'a scrape that could cost more than its max_credits is refused before any work',
  ),
  scraping(
    '  assertCap(request);\n',
    '',
    'a scrape that could cost more than its max_credits is refused before any work',
  ),
  owning(
    "    if (!isOwned) lost.abort(new AppError('cancelled'));\n",
    '    void [isOwned, AppError];\n',
    'that runs aborts its scrape and frees its slot and credits',
  ),
  waiting(
    '  if (!result) return undefined;\n  call.meter.report(creditsUsed(job));\n',
    '  if (!result) return undefined;\n',
    'gets the result with what it cost',
  ),
  listing('isVisible(job, fx.now()) && ', '', 'forgets a job after its 30 days'),
  faulty(
    '  await workOff(fx, orgId, context).catch((error: unknown) => {',
    '  await workOff(fx, orgId, context).catch((error: unknown) => {\n    if (error) throw error;',
    'a worker that cannot read the backlog still ends its jobs, and a sweep goes on with it',
  ),
  discarding(
    '  if (!isKept) await fx.results.remove(resultKey);\n',
    '',
    'that runs leaves neither its slot nor its page behind',
  ),
];
