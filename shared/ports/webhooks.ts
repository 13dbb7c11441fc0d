import type { Delivery, Endpoint } from '../contract/webhooks/webhook.ts';
import type { ErrorCode } from '../errors.ts';

/** The endpoints of organizations. */
export type Webhooks = {
  /** False, without any change, if the organization has an endpoint of this id. */
  add: (endpoint: Endpoint) => Promise<boolean>;
  find: (orgId: string, id: string) => Promise<Endpoint | undefined>;
  /** The oldest first, the default one included once it exists. */
  list: (orgId: string) => Promise<Endpoint[]>;
  /** False, without any change, if it was changed or removed since. */
  replace: (before: Endpoint, after: Endpoint) => Promise<boolean>;
  remove: (orgId: string, id: string) => Promise<void>;
};

export type DeliveryKey = Pick<Delivery, 'orgId' | 'endpointId' | 'id'>;

/** Events on their way to endpoints, for 30 days. */
export type Deliveries = {
  /** False, without any change, if this event is on its way to this endpoint. */
  add: (delivery: Delivery) => Promise<boolean>;
  find: (key: DeliveryKey) => Promise<Delivery | undefined>;
  /** False, without any change, if it was changed since. */
  replace: (before: Delivery, after: Delivery) => Promise<boolean>;
  /** Deliveries to an endpoint, newest first, with ids before one. `next` is absent at the end. */
  list: (
    orgId: string,
    endpointId: string,
    range: { before?: string | undefined; limit: number },
  ) => Promise<{ deliveries: Delivery[]; next?: string }>;
  /** Deliveries past their `dueAt`. Eventually consistent. */
  due: (now: Date, limit: number) => Promise<DeliveryKey[]>;
};

/** Who attempts what: a delivery to one receiver of an organization. */
export type AttemptPlace = { orgId: string; receiver: string; deliveryId: string };

/**
 * `taken`: this delivery is being attempted. `full`: too many others of its organization or its receiver are,
 * or one while all fail.
 */
export type Begun =
  | { outcome: 'taken' }
  | { outcome: 'full' }
  /** How long attempts at this receiver take on average, and whether its organization has many. */
  | { outcome: 'begun'; averageMs: number; isCrowded: boolean };

/** How an attempt ended, and the receiver's new average. */
export type EndedAttempt = { isSuccess: boolean; averageMs: number };

/** Attempts in progress of each organization and at each receiver, so that slow ones occupy few places. */
export type Receivers = {
  /** Takes a place for an attempt, which ends by itself at `until`. */
  begin: (place: AttemptPlace, until: Date, now: Date) => Promise<Begun>;
  /** Frees the place. Returns since when all attempts have failed, if this one did. */
  end: (place: AttemptPlace, ended: EndedAttempt, now: Date) => Promise<Date | undefined>;
};

/** The queue of the notifier. */
export type NotifierQueue = {
  /** Queues a delivery for at least one attempt, after a delay of up to 900 seconds. */
  deliver: (delivery: DeliveryKey, delaySeconds?: number) => Promise<void>;
  /** Queues a check of an organization's credits, which may emit `credits.low`. */
  credits: (orgId: string) => Promise<void>;
};

/** Encrypts signing secrets. One endpoint's ciphertext cannot be opened as another's. */
export type Vault = {
  seal: (secret: string, endpoint: Pick<Endpoint, 'orgId' | 'id'>) => Promise<string>;
  open: (sealed: string, endpoint: Pick<Endpoint, 'orgId' | 'id'>) => Promise<string>;
};

type PostRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** How long the receiver may take to respond. */
  timeoutMs: number;
};

/** Sends one request and returns the status of its response, or why there was none. Follows no redirect. */
export type Post = (request: PostRequest) => Promise<{ status: number } | { error: ErrorCode }>;

export type WebhookEffects = {
  webhooks: Webhooks;
  deliveries: Deliveries;
  receivers: Receivers;
  notifierQueue: NotifierQueue;
  vault: Vault;
  post: Post;
};
