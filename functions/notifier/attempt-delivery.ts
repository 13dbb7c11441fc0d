import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import type { Attempt, Delivery, Endpoint } from '../../shared/contract/webhooks/webhook.ts';
import { DEFAULT_ENDPOINT } from '../../shared/contract/webhooks/webhook.ts';
import { averaged, patienceFor, receiverOf } from '../../shared/domain/webhooks/receiver.ts';
import { COMPAT_TYPE, signedHeaders } from '../../shared/domain/webhooks/signature.ts';
import {
  abandoned,
  advanced,
  attempted,
  disabledBy,
  isSuccess,
  messageDelay,
  postponed,
  type Sent,
  signingSecrets,
  turnDelay,
} from '../../shared/domain/webhooks/state.ts';
import type { RequestLog } from '../../shared/observe/request-log.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { AttemptPlace, DeliveryKey } from '../../shared/ports/webhooks.ts';
import { visibleBatch } from '../../shared/use-cases/batches/find-batch.ts';
import { visibleCrawl } from '../../shared/use-cases/crawls/find-crawl.ts';
import { defaultEndpoint } from '../../shared/use-cases/webhooks/default-endpoint.ts';
import { addMs } from '../../shared/time/units.ts';
import { type PartNeeds, sendPages } from './send-pages.ts';

export type Needs = Pick<
  Effects,
  'webhooks' | 'deliveries' | 'receivers' | 'notifierQueue' | 'vault' | 'post' | 'count' | 'now'
> &
  Pick<Effects, 'batches' | 'crawls'> &
  PartNeeds;

/** Longer than an attempt can take: the place of a dead process is free from then on. */
const PLACE_MS = 45_000;
/** Clocks of two environments differ by less. */
const CLOCKS_MS = 2_000;

/** Safe to run twice, concurrently, and to be killed after any line: the delivery is attempted again. */
export async function attemptDelivery(fx: Needs, key: DeliveryKey, requestLog: RequestLog): Promise<void> {
  const delivery = await fx.deliveries.find(key);
  const { nextAttemptAt } = delivery ?? {};
  if (delivery === undefined || nextAttemptAt === undefined) return;
  // The message of an earlier schedule. Another one follows.
  if (nextAttemptAt.getTime() - fx.now().getTime() > CLOCKS_MS) return;
  const endpoint = await endpointOf(fx, delivery);
  const url = delivery.url ?? endpoint?.url;
  const job = await hookedJob(fx, delivery);
  if (endpoint === undefined || url === undefined || job === undefined || endpoint.disabled) {
    await fx.deliveries.replace(delivery, abandoned(delivery));
    return;
  }
  requestLog.note({ event: delivery.type, host: URL.parse(url)?.host, attempt: delivery.tries + 1 });
  const place = { orgId: delivery.orgId, receiver: receiverOf(delivery), deliveryId: delivery.id };
  const now = fx.now();
  const begun = await fx.receivers.begin(place, addMs(now, PLACE_MS), now);
  if (begun.outcome === 'full') return wait(fx, delivery);
  if (begun.outcome === 'taken') return;
  const address = { url, timeoutMs: patienceFor(begun), headers: job.headers };
  const post = (event: Event) => attemptAt(fx, address, endpoint, event);
  const { part } = delivery;
  const sent = part
    ? await sendPages(fx, delivery, part, { crawl: job.crawl, post })
    : { passed: 0, isAll: true, attempt: await post(delivery) };
  const { attempt } = sent;
  if (attempt) {
    requestLog.note({ status: attempt.status ?? attempt.error });
    fx.count('DeliverySucceeded', isSuccess(attempt) ? 1 : 0);
  }
  const averageMs = attempt ? averaged(begun.averageMs, attempt.ms) : begun.averageMs;
  await keep(fx, { delivery, endpoint, sent, place, averageMs });
}

const endpointOf = (fx: Needs, { orgId, endpointId }: Delivery): Promise<Endpoint | undefined> =>
  endpointId === DEFAULT_ENDPOINT ? defaultEndpoint(fx, orgId) : fx.webhooks.find(orgId, endpointId);

/** What the webhook of a crawl or batch receives besides an event, and the crawl. */
type HookedJob = { headers: Readonly<Record<string, string>>; crawl: Crawl | undefined };

/** Of an event in the shape of `/v2`, undefined once its crawl or batch has expired. Others have nothing. */
async function hookedJob(fx: Needs, { type, subject }: Delivery): Promise<HookedJob | undefined> {
  if (!type.startsWith(COMPAT_TYPE)) return { headers: {}, crawl: undefined };
  const id = subject ?? '';
  const crawl = type.startsWith(`${COMPAT_TYPE}crawl.`) ? await visibleCrawl(fx, id) : undefined;
  const job = crawl ?? (await visibleBatch(fx, id));
  return job && { headers: job.compatHook?.headers ?? {}, crawl };
}

/** Others of the same organization or receiver come first. This is no attempt. */
async function wait(fx: Needs, delivery: Delivery): Promise<void> {
  const seconds = turnDelay(delivery, fx.now());
  const later = postponed(delivery, seconds, fx.now());
  // Another message of it is on its way otherwise.
  if (!later || (await fx.deliveries.replace(delivery, later)))
    await fx.notifierQueue.deliver(delivery, seconds);
}

type Address = { url: string; timeoutMs: number; headers: Readonly<Record<string, string>> };
type Event = Pick<Delivery, 'id' | 'type' | 'body'>;

async function attemptAt(
  fx: Needs,
  { url, timeoutMs, headers: own }: Address,
  endpoint: Endpoint,
  { id, type, body }: Event,
): Promise<Attempt> {
  const sealed = signingSecrets(endpoint, fx.now());
  const secrets = await Promise.all(sealed.map((each) => fx.vault.open(each.sealed, endpoint)));
  const at = fx.now();
  const headers = { ...own, ...signedHeaders({ id, type, body, secrets }, at) };
  const ended = await fx.post({ url, headers, body, timeoutMs });
  return { at, ms: fx.now().getTime() - at.getTime(), ...ended };
}

type Attempted = {
  delivery: Delivery;
  endpoint: Endpoint;
  sent: Sent;
  place: AttemptPlace;
  averageMs: number;
};

/** Writes the attempt, frees its place, then sends the message of the next attempt. */
async function keep(fx: Needs, { delivery, endpoint, sent, place, averageMs }: Attempted): Promise<void> {
  const { attempt } = sent;
  const next = delivery.part || !attempt ? advanced(delivery, sent, fx.now()) : attempted(delivery, attempt);
  const isKept = await fx.deliveries.replace(delivery, next);
  const ended = { isSuccess: attempt === undefined || isSuccess(attempt), averageMs };
  const failingSince = await fx.receivers.end(place, ended, fx.now());
  const delay = isKept ? messageDelay(next, fx.now()) : undefined;
  // Without the message, the sweep finds it.
  if (delay !== undefined) await fx.notifierQueue.deliver(next, delay).catch(() => undefined);
  const disabled = attempt && disabledBy(endpoint, attempt, failingSince);
  if (disabled && (await fx.webhooks.replace(endpoint, disabled))) fx.count('WebhooksDisabled', 1);
}
