import { Readable } from 'node:stream';
import { v7 } from 'uuid';
import type { ApiKeyRecord, Organization, Usage } from '../../shared/contract/accounts/account.ts';
import type { ActivityLine } from '../../shared/contract/accounts/activity.ts';
import type { Job, OpenJob } from '../../shared/contract/jobs/job.ts';
import type { JobMessage } from '../../shared/contract/scrape/messages.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import {
  admit,
  currentUsage,
  withoutReader,
  withoutSlot,
} from '../../shared/domain/accounts/credits/admission.ts';
import { hasSlot, isOfJob, jobSlots, lapsedSlots } from '../../shared/domain/accounts/credits/slots.ts';
import { isFinished } from '../../shared/domain/jobs/state.ts';
import { endOfLine } from '../../shared/domain/accounts/activity/lines.ts';
import { positionFor } from '../../shared/domain/accounts/activity/position.ts';
import { handOver } from '../../shared/domain/accounts/credits/hand-over.ts';
import { markOf } from '../../shared/domain/accounts/credits/low-credits.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import { tallyOf } from '../../shared/domain/accounts/credits/usage-days.ts';
import { longId } from '../../shared/domain/accounts/credits/short-id.ts';
import { AppError } from '../../shared/errors.ts';
import type { Accounts, Activity, EndOf } from '../../shared/ports/accounts.ts';
import type { Count, Effects } from '../../shared/ports/effects.ts';
import type { IdempotencyClaim, Inbox, Jobs, Queue, Results } from '../../shared/ports/jobs.ts';
import type { GetPage } from '../../shared/ports/scrape.ts';
import { inMemoryBatches } from './in-memory-batches.ts';
import {
  type Answers,
  inMemoryDeliveries,
  inMemoryInbox,
  inMemoryNotices,
  inMemoryPost,
  inMemoryReceivers,
  inMemoryVault,
  inMemoryWebhooks,
  type Received,
} from './in-memory-webhooks.ts';
import { inMemoryChunks, inMemoryUploads } from './in-memory-uploads.ts';
import { convertHere } from './convert-here.ts';
import { step } from './step.ts';
import { inMemoryIdentities, inMemoryPeople, inMemoryVisits } from './in-memory-people.ts';

/** By which callers know the service. */
export const API_URL = 'https://api.example.com';

/** The Jobs port in memory: passes the same contract suite as the real one. */
export function inMemoryJobs(): Jobs & { all: () => Job[] } {
  const jobs = new Map<string, Job>();
  const claims = new Map<string, IdempotencyClaim>();
  const claimId = ({ orgId, key }: Pick<IdempotencyClaim, 'orgId' | 'key'>) => `${orgId}#${key}`;
  return {
    all: () => [...jobs.values()],
    create: (job) =>
      step(() => {
        if (jobs.has(job.id)) return false;
        jobs.set(job.id, job);
        return true;
      }),
    find: (id) => step(() => jobs.get(id)),
    findAll: (ids) => step(() => ids.flatMap((id) => jobs.get(id) ?? [])),
    replace: (before, after) =>
      step(() => {
        const stored = jobs.get(before.id);
        const { status, fencingToken } = before;
        const isStatus = stored?.status === status || (stored?.status === 'pending' && !isFinished(before));
        const isSame = isStatus && stored.fencingToken === fencingToken;
        if (isSame) jobs.set(after.id, after);
        return isSame;
      }),
    remove: ({ id, status, fencingToken }) =>
      step(() => {
        const stored = jobs.get(id);
        return stored?.status === status && stored.fencingToken === fencingToken && jobs.delete(id);
      }),
    list: (orgId, { after = '', before = '~', limit }) =>
      step(() => {
        const found = [...jobs.values()].filter(
          (job) => job.orgId === orgId && job.id > after && job.id < before,
        );
        const listed = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
        const next = listed.length < found.length ? listed.at(-1)?.id : undefined;
        return { jobs: listed, ...(next && { next }) };
      }),
    due: (now, limit) =>
      step(() => {
        const due = [...jobs.values()].filter(
          (job) =>
            job.dueAt !== undefined &&
            job.dueAt <= now &&
            !('isWaiting' in job && job.isWaiting) &&
            !('slot' in job && job.slot),
        );
        due.sort((a, b) => Number(a.dueAt) - Number(b.dueAt));
        return { jobs: due.slice(0, limit), unreadable: [] };
      }),
    waiting: (orgId, { limit, from = new Date(0), after }) =>
      step(() => {
        const isAfter = ({ id, dueAt }: OpenJob) =>
          !after || dueAt > after.dueAt || (Number(dueAt) === Number(after.dueAt) && id > after.id);
        return [...jobs.values()]
          .filter((job) => !isFinished(job))
          .filter((job) => job.isWaiting && job.orgId === orgId)
          .filter((job) => job.dueAt >= from && isAfter(job))
          .sort((a, b) => Number(a.dueAt) - Number(b.dueAt) || (a.id < b.id ? -1 : 1))
          .slice(0, limit);
      }),
    claimKey: (claim, now, previous) =>
      step(() => {
        const held = claims.get(claimId(claim));
        const isFree =
          held === undefined || held.expiresAt <= now || held.lockedUntil === previous?.lockedUntil;
        if (isFree) claims.set(claimId(claim), claim);
        return isFree ? claim : held;
      }),
    heldKey: (claim, now) =>
      step(() => {
        const held = claims.get(claimId(claim));
        return held && held.expiresAt > now ? held : undefined;
      }),
    releaseKey: (claim) =>
      step(() => {
        const held = claims.get(claimId(claim));
        const isSame = held?.jobId === claim.jobId && held.lockedUntil === claim.lockedUntil;
        if (isSame) claims.delete(claimId(claim));
      }),
  };
}

const HOUR_MS = 60 * 60 * 1_000;

/** The Accounts port in memory. */
export function inMemoryAccounts(endOf: EndOf = () => Promise.resolve(undefined)): Accounts {
  const organizations = new Map<string, Organization>();
  const keys = new Map<string, ApiKeyRecord>();
  const usages = new Map<string, Usage>();
  const used = new Map<string, Record<string, Date>>();
  const listed = new Map<string, number>();
  const current = (organization: Organization, now: Date) =>
    currentUsage(usages.get(organization.id), limitsOf(organization), now);
  const keep = (organization: Organization, usage: Usage) => {
    usages.set(organization.id, usage);
    return usage;
  };
  return {
    findKey: (id) => step(() => keys.get(id)),
    findOrganization: (id) => step(() => organizations.get(id)),
    keysOf: (orgId) => step(() => [...keys.values()].filter((key) => key.orgId === orgId)),
    organizations: () => step(() => [...organizations.values()].sort((a, b) => +a.createdAt - +b.createdAt)),
    saveOrganization: (organization) => step(() => void organizations.set(organization.id, organization)),
    removeOrganization: (id) =>
      step(() => {
        organizations.delete(id);
        usages.delete(id);
      }),
    addOrganization: (organization) =>
      step(() => {
        if (organizations.has(organization.id)) return false;
        organizations.set(organization.id, organization);
        return true;
      }),
    saveKey: (key) => step(() => void keys.set(key.id, key)),
    replaceKey: (key) =>
      step(() => {
        const isActive = keys.get(key.id)?.status === 'active';
        if (isActive) keys.set(key.id, key);
        return isActive;
      }),
    touchKey: (orgId, keyId, now) =>
      step(() => {
        const times = used.get(orgId) ?? {};
        const isRecent = now.getTime() - (times[keyId]?.getTime() ?? 0) < HOUR_MS;
        if (!isRecent) used.set(orgId, { ...times, [keyId]: now });
      }),
    keysUsed: (orgId) => step(() => used.get(orgId) ?? {}),
    usage: (organization, now) => step(() => current(organization, now)),
    admit: async (organization, request, now) => {
      const { id } = organization;
      const before = usages.get(id);
      for (const slotId of before ? lapsedSlots(before, now) : []) {
        const ended = await endOf(id, slotId);
        const stored = usages.get(id);
        if (stored) usages.set(id, withoutSlot(stored, slotId, ended && tallyOf(ended)));
      }
      return step(() => {
        const seen = current(organization, now);
        const isForJob = request.slot && isOfJob(request.slot.id);
        if (isForJob && !seen.isListed) listed.set(id, now.getTime());
        const usage = isForJob ? { ...seen, isListed: true } : seen;
        const admission = admit(usage, limitsOf(organization), request, now);
        keep(organization, admission.usage);
        return admission;
      });
    },
    usageDays: ({ id }, from, to) =>
      step(() => {
        const days = Object.entries(usages.get(id)?.days ?? {});
        return Object.fromEntries(days.filter(([day]) => day >= from && day <= to));
      }),
    settle: (organization, { slotId, ended }, now) =>
      step(() => {
        const stored = usages.get(organization.id);
        if (!stored || !hasSlot(stored, slotId)) return current(organization, now);
        return keep(organization, withoutSlot(stored, slotId, ended));
      }),
    handOver: (organization, wanted, now) =>
      step(() => {
        const stored = usages.get(organization.id);
        const usage = stored && handOver(stored, limitsOf(organization), wanted, now);
        return usage && keep(organization, usage);
      }),
    grant: (organization, { id, credits }, now) =>
      step(() => keep(organization, withGrant(current(organization, now), id, credits))),
    noteWaiting: (organization, now) =>
      step(() => {
        const stored = usages.get(organization.id);
        if (!stored) return false;
        const slots = jobSlots(limitsOf(organization), stored, now);
        if (Object.keys(stored.slots).length < slots) return false;
        if (!stored.isAwaited) listed.set(organization.id, now.getTime());
        keep(organization, { ...stored, waitingAt: now.getTime(), isAwaited: true });
        return true;
      }),
    noteBacklog: (organization, now) =>
      step(() => {
        listed.set(organization.id, now.getTime());
        keep(organization, { ...current(organization, now), waitingAt: now.getTime(), isAwaited: true });
      }),
    clearWaiting: (organization, waitingAt) =>
      step(() => {
        const stored = usages.get(organization.id);
        if (stored?.waitingAt === waitingAt) keep(organization, { ...stored, isAwaited: false });
      }),
    unlist: (organization) =>
      step(() => {
        const stored = usages.get(organization.id);
        if (stored) keep(organization, { ...stored, isListed: false });
      }),
    listedOrganizations: () => step(() => [...listed].map(([orgId, since]) => ({ orgId, since }))),
    takeOffList: (orgId, since) =>
      step(() => {
        if (listed.get(orgId) === since) listed.delete(orgId);
      }),
    noteEvents: (organization, types, now) =>
      step(() => {
        const usage = current(organization, now);
        const events = new Set([...(usage.events ?? []), ...types]);
        if (types.length > 0) keep(organization, { ...usage, events });
      }),
    markLow: (organization, key, now) =>
      step(() => {
        const usage = current(organization, now);
        const low = usage.low !== undefined && usage.low >= key ? usage.low : markOf(key, now);
        keep(organization, { ...usage, low });
        return low;
      }),
    reportLow: (organization, mark) =>
      step(() => {
        const stored = usages.get(organization.id);
        if (stored && (stored.lowReported ?? '') < mark) keep(organization, { ...stored, lowReported: mark });
      }),
    release: ({ id }, readerId) =>
      step(() => {
        const stored = usages.get(id);
        if (stored) usages.set(id, withoutReader(stored, readerId));
      }),
  };
}

/** The Activity port in memory. */
export function inMemoryActivity(): Activity {
  const lines = new Map<string, ActivityLine>();
  const newestFirst = (orgId: string) =>
    [...lines]
      .filter(([, line]) => line.orgId === orgId)
      .map(([key, line]) => ({ position: key.slice(orgId.length), line }))
      .sort((a, b) => (a.position < b.position ? 1 : -1));
  return {
    record: (line) => step(() => void lines.set(line.orgId + positionFor(line), line)),
    lines: (orgId, { from, to, before = to, limit }) =>
      step(() => {
        const within = newestFirst(orgId).filter(
          ({ position }) => position >= from && position < to && position < before,
        );
        return within.slice(0, limit);
      }),
    endOf: (orgId, slotId) =>
      step(() => {
        const id = longId(slotId);
        const found = newestFirst(orgId).find(({ line }) => line.id === id && line.type === 'scrape');
        return found && endOfLine(found.line);
      }),
  };
}

export type Sent = JobMessage;

/** The Queue port in memory: `take` returns what was sent since the last call. */
export function inMemoryQueue(): Queue & { inbox: Inbox; take: () => Sent[]; lastDelay: () => number } {
  const sent: Sent[] = [];
  const delayed = new WeakSet<Sent>();
  let lastDelay = 0;
  return {
    send: ({ id }, delaySeconds = 0) =>
      step(() => {
        const message = { jobId: id };
        sent.push(message);
        lastDelay = delaySeconds;
        if (delaySeconds > 0) delayed.add(message);
      }),
    hasMessages: () => step(() => sent.some((message) => !delayed.has(message))),
    wake: (orgId) => step(() => void sent.push({ orgId })),
    readUpload: ({ id }) => step(() => void sent.push({ uploadOf: id })),
    /** Of the last message about a job, in seconds. */
    lastDelay: () => lastDelay,
    take: () => sent.splice(0),
    inbox: inMemoryInbox((most) => sent.splice(0, most)),
  };
}

/** The Results port in memory. */
export function inMemoryResults(): Results {
  const stored = new Map<string, Uint8Array>();
  return {
    put: (key, bytes) => step(() => void stored.set(key, bytes)),
    open: (key) =>
      step(() => {
        const bytes = stored.get(key);
        return bytes && Readable.from([bytes]);
      }),
    remove: (key) => step(() => void stored.delete(key)),
    link: (key, { contentType, contentEncoding = '' }) =>
      step(
        () =>
          `https://results.test/${key}?${new URLSearchParams({ contentType, contentEncoding }).toString()}`,
      ),
  };
}

/** A web of a few pages: what fetching each URL returns or throws. */
export type Web = Record<string, ((signal: AbortSignal) => Promise<Page>) | Page | AppError>;

function browse(web: Web): GetPage {
  return async ({ url }, { signal }) => {
    const found = web[url] ?? new AppError('dns_failed');
    if (found instanceof AppError) throw found;
    return typeof found === 'function' ? found(signal) : found;
  };
}

type Counted = Parameters<Count>;

/** All effects in memory, with a clock that advances only on request. */
export function inMemoryWorld(start = new Date('2026-11-21T12:00:00Z')) {
  let time = start.getTime();
  const web: Web = {};
  const answers: Answers = {};
  const received: Received[] = [];
  const now = () => new Date(time);
  const counted: Counted[] = [];
  const activity: Activity = inMemoryActivity();

  const world = {
    web,
    /** The counts of metrics so far. */
    counted,
    count: (...added: Counted) => void counted.push(added),
    jobs: inMemoryJobs(),
    batches: inMemoryBatches(),
    chunks: inMemoryChunks(),
    uploads: inMemoryUploads(),
    accounts: inMemoryAccounts(activity.endOf),
    activity,
    queue: inMemoryQueue(),
    results: inMemoryResults(),
    fetchPage: browse(web),
    renderPage: browse(web),
    convert: convertHere,
    /** How receivers of events respond, and what they have received. */
    answers,
    received,
    webhooks: inMemoryWebhooks(),
    deliveries: inMemoryDeliveries(),
    receivers: inMemoryReceivers(),
    notifierQueue: inMemoryNotices(now),
    vault: inMemoryVault(),
    post: inMemoryPost(answers, received),
    identities: inMemoryIdentities(now),
    people: inMemoryPeople(),
    ...inMemoryVisits(),
    apiUrl: API_URL,
    now,
    newId: () => v7({ msecs: time }),
    wait: async (ms: number) => {
      await Promise.resolve();
      time += ms;
    },
    pass: (ms: number) => {
      time += ms;
    },
  };
  return world satisfies Effects;
}

export type World = ReturnType<typeof inMemoryWorld>;

/** Usage with credits added to its month. A grant with a known id changes nothing. */
function withGrant(usage: Usage, id: string, credits: number): Usage {
  const { available, grants = {} } = usage;
  return id in grants
    ? usage
    : { ...usage, available: available + credits, grants: { ...grants, [id]: credits } };
}
