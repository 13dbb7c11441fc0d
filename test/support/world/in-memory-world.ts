import { Readable } from 'node:stream';
import { v7 } from 'uuid';
import type { Job, OpenJob } from '../../../shared/contract/jobs/job.ts';
import { type CachedPage, storedKeys } from '../../../shared/contract/scrape/cached-page.ts';
import type { JobMessage } from '../../../shared/contract/scrape/messages.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import type { ScrapeRequest } from '../../../shared/contract/scrape/scrape-request.ts';
import type { CacheKey } from '../../../shared/domain/scrape/cache/cache-key.ts';
import { isFinished } from '../../../shared/domain/jobs/state.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Count, Effects } from '../../../shared/ports/effects.ts';
import type { IdempotencyClaim, Inbox, Jobs, Queue, Results } from '../../../shared/ports/jobs.ts';
import type { Kind } from '../../../shared/contract/scrape/mode.ts';
import type { GetPage, LadderMemory, PageCache } from '../../../shared/ports/scrape.ts';
import { addMs, DAY_MS } from '../../../shared/time/units.ts';
import { inMemoryAccounts } from './in-memory-accounts.ts';
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
import { inMemoryCrawls, inMemoryTargetHosts } from './in-memory-crawls.ts';
import { inMemoryChunks, inMemoryUploads } from './in-memory-uploads.ts';
import { convertHere } from './convert-here.ts';
import { readByScript, scriptedModel } from './scripted-model.ts';
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
        const isSame = stored?.status === status && stored.fencingToken === fencingToken;
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
    waiting: (orgId, { limit, after }) =>
      step(() => {
        const isAfter = ({ id, dueAt }: OpenJob) =>
          !after || dueAt > after.dueAt || (Number(dueAt) === Number(after.dueAt) && id > after.id);
        return [...jobs.values()]
          .filter((job) => !isFinished(job))
          .filter((job) => job.isWaiting && job.orgId === orgId)
          .filter(isAfter)
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

/** The LadderMemory port in memory. */
export function inMemoryLadder(): LadderMemory {
  const kept = new Map<string, { rung: Kind; until: Date }>();
  return {
    find: (orgId, host, now) =>
      step(() => {
        const found = kept.get(`${orgId} ${host}`);
        return found && found.until > now ? found.rung : undefined;
      }),
    keep: (orgId, host, rung, now) =>
      step(() => void kept.set(`${orgId} ${host}`, { rung, until: addMs(now, DAY_MS) })),
  };
}

/** The PageCache port in memory. */
export function inMemoryPageCache(days = 30): PageCache {
  const kept = new Map<string, CachedPage>();
  const idOf = ({ orgId, urlHash, fieldsHash }: CacheKey) => `${orgId} ${urlHash} ${fieldsHash}`;
  return {
    days,
    find: (key, now) =>
      step(() => {
        const page = kept.get(idOf(key));
        return page && page.expiresAt > now ? page : undefined;
      }),
    keep: (key, page) => step(() => void kept.set(idOf(key), page)),
    renew: (key, { resultKey, fetchedAt, etag, lastModified }) =>
      step(() => {
        const page = kept.get(idOf(key));
        if (page?.resultKey === resultKey) kept.set(idOf(key), { ...page, fetchedAt, etag, lastModified });
      }),
    forget: ({ orgId, urlHash }) =>
      step(() => {
        const found = [...kept].filter(([id]) => id.startsWith(`${orgId} ${urlHash} `));
        for (const [id] of found) kept.delete(id);
        return found.flatMap(([, page]) => storedKeys(page));
      }),
  };
}

export type Sent = JobMessage;

/** SQS refuses more. */
const MAX_DELAY_SECONDS = 900;

/** The Queue port in memory: `take` returns what was sent since the last call. */
export function inMemoryQueue(): Queue & { inbox: Inbox; take: () => Sent[]; lastDelay: () => number } {
  const sent: Sent[] = [];
  const delayed = new WeakSet<Sent>();
  /** For a later invocation. */
  const later = new WeakSet<Sent>();
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
    wake: (orgId, delaySeconds = 0) =>
      step(() => {
        if (delaySeconds > MAX_DELAY_SECONDS) throw new RangeError(`A delay of ${delaySeconds} s.`);
        const message = { orgId };
        sent.push(message);
        if (delaySeconds > 0) later.add(message);
      }),
    readUpload: ({ id }) => step(() => void sent.push({ uploadOf: id })),
    planCrawl: ({ id }, delaySeconds = 0) =>
      step(() => {
        const message = { crawlId: id };
        sent.push(message);
        if (delaySeconds > 0) delayed.add(message);
      }),
    /** Of the last message about a job, in seconds. */
    lastDelay: () => lastDelay,
    take: () => sent.splice(0),
    inbox: inMemoryInbox((most) => {
      const ready = sent.filter((message) => !later.has(message)).slice(0, most);
      for (const message of ready) sent.splice(sent.indexOf(message), 1);
      return ready;
    }),
  };
}

/** The Results port in memory. */
export function inMemoryResults(): Results & { keys: () => string[] } {
  const stored = new Map<string, Uint8Array>();
  return {
    keys: () => [...stored.keys()],
    put: (key, bytes) => step(() => void stored.set(key, bytes)),
    open: (key) =>
      step(() => {
        const bytes = stored.get(key);
        return bytes && Readable.from([bytes]);
      }),
    remove: (key) => step(() => void stored.delete(key)),
    link: (key, { contentType, contentEncoding = '' }, seconds) =>
      step(() => {
        const lasts = seconds === undefined ? {} : { seconds: String(seconds) };
        const query = new URLSearchParams({ contentType, contentEncoding, ...lasts });
        return `https://results.test/${key}?${query.toString()}`;
      }),
  };
}

/** A web of a few pages: what fetching each URL returns or throws. */
export type Web = Record<
  string,
  ((signal: AbortSignal, request: ScrapeRequest) => Promise<Page>) | Page | AppError
>;

function browse(web: Web): GetPage {
  return async (request, { signal }) => {
    const found = web[request.url] ?? new AppError('dns_failed');
    if (found instanceof AppError) throw found;
    return typeof found === 'function' ? found(signal, request) : found;
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
  const model = scriptedModel();

  const { keys: storedResults, ...results } = inMemoryResults();

  const world = {
    web,
    /** The counts of metrics so far. */
    counted,
    count: (...added: Counted) => void counted.push(added),
    jobs: inMemoryJobs(),
    batches: inMemoryBatches(),
    chunks: inMemoryChunks(),
    uploads: inMemoryUploads(),
    crawls: inMemoryCrawls(),
    targetHosts: inMemoryTargetHosts(),
    ...inMemoryAccounts(),
    queue: inMemoryQueue(),
    results,
    /** The keys of stored results. */
    storedResults,
    fetchPage: browse(web),
    renderPage: browse(web),
    convert: convertHere,
    model,
    readValues: readByScript(model),
    ladderMemory: inMemoryLadder(),
    pageCache: inMemoryPageCache(),
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
