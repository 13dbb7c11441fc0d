import { admitMost } from '../domain/accounts/credits/admit-most.ts';
import type { Organization, Usage } from '../contract/accounts/account.ts';
import { type AdmissionRequest, type Refusal } from '../domain/accounts/credits/admission.ts';
import { type Bucket } from '../domain/accounts/credits/rate-buckets.ts';
import { mustReport } from '../domain/accounts/credits/low-credits.ts';
import { limitsOf } from '../domain/accounts/credits/plan.ts';
import { type Ended, periodOf, tallyOf } from '../domain/accounts/credits/usage-days.ts';
import type { Settlement } from '../ports/usage.ts';
import type { Effects } from '../ports/effects.ts';
import { refusal } from './refusal.ts';
import { insufficientCredits } from './insufficient-credits.ts';
import { usageHeaders } from './usage-headers.ts';

/** Meters one request against its organization's limits, and reports them in headers. */
export type Meter = {
  /** Takes a place in the call's bucket, unless it has one already. Throws `rate_limited`. */
  takeRateLimit: () => Promise<void>;
  /**
   * Holds a slot, or a reader's place, with the first of some credits that are there, the most first; takes
   * the place in the bucket if it is not taken yet. Returns the credits. Takes nothing if it throws
   * `insufficient_credits`, `key_not_allowed`, `rate_limited` or `too_many_concurrent`.
   */
  admit: (costs: readonly number[], request: Wanted) => Promise<number>;
  /** Whether it has a slot or a place until its response has been sent. */
  isHolding: () => boolean;
  /** As of the last step. */
  usage: () => Usage | undefined;
  /** Throws `insufficient_credits` if the balance did not cover it when the bucket was drawn from. */
  assertCredits: (credits: number) => void;
  /** Begins to free the slot and to charge, once; the response need not wait for it. */
  settle: (settlement: EndedSettlement, record: RecordEnd) => void;
  /** The same once the response has been sent: nothing is charged unless all of it was read. */
  settleOnDelivery: (settlement: EndedSettlement, record: RecordEnd) => void;
  /** Begins to count a scrape that needed no slot and costs nothing; the response need not wait for it. */
  count: (ended: Ended, record: RecordEnd) => void;
  /** Has the headers report credits that another process charged, and what is left after that. */
  report: (credits: number) => void;
  /** Settles the rest and resolves to all credits charged. If it throws, places expire by themselves. */
  finish: (isDelivered: boolean) => Promise<number>;
  /** Credit and rate limit headers as of the last step, or as of now if there was none. */
  headers: () => Promise<Record<string, string>>;
};

type Wanted = Omit<AdmissionRequest, 'bucket' | 'credits'>;
type EndedSettlement = Omit<Settlement, 'ended'> & { ended: Ended };
/** Writes the line of the scrape. */
type RecordEnd = (ended: Ended) => Promise<void>;

type State = {
  /** The queue, of functions that hold slots. */
  fx: Pick<Effects, 'usage' | 'now'> & Partial<Pick<Effects, 'queue' | 'notifierQueue'>>;
  organization: Organization;
  bucket: Bucket;
  usage?: Usage;
  hasRateLimit: boolean;
  charged: number;
  settling: Promise<unknown>;
  onDelivery: ((isDelivered: boolean) => Promise<unknown>)[];
};

export function openMeter(fx: State['fx'], organization: Organization, bucket: Bucket): Meter {
  const state: State = {
    fx,
    organization,
    bucket,
    hasRateLimit: false,
    charged: 0,
    settling: Promise.resolve(),
    onDelivery: [],
  };
  return {
    admit: (costs, request) => admit(state, costs, request),
    takeRateLimit: async () => {
      if (!state.hasRateLimit) await admit(state, [0], {});
    },
    isHolding: () => state.onDelivery.length > 0,
    usage: () => state.usage,
    assertCredits: (credits) => assertCredits(state, credits),
    settle: (settlement, record) => settle(state, settlement, record),
    settleOnDelivery: (settlement, record) => settleOnDelivery(state, settlement, record),
    count: (ended, record) => settleBy(state, () => counted(state, ended, record)),
    report: (credits) => {
      state.charged = credits;
      delete state.usage;
    },
    finish: async (isDelivered) => {
      await Promise.all([state.settling, ...state.onDelivery.map((step) => step(isDelivered))]);
      return state.charged;
    },
    headers: async () => {
      state.usage ??= await fx.usage.read(organization, fx.now());
      return usageHeaders(state.usage, state.charged, bucket, limitsOf(organization), fx.now());
    },
  };
}

const isThrottled = ({ code }: Refusal) => code === 'rate_limited' || code === 'too_many_concurrent';

async function admit(state: State, costs: readonly number[], request: Wanted): Promise<number> {
  const { fx, organization, bucket } = state;
  const wanted = state.hasRateLimit ? request : { ...request, bucket };
  state.hasRateLimit = true;
  const { admission, credits } = await admitMost(costs, (held) =>
    fx.usage.admit(organization, { ...wanted, credits: held }, fx.now()),
  );
  state.usage = admission.usage;
  if (admission.outcome === 'refused') {
    if (admission.code === 'insufficient_credits') await report(state, admission.usage);
    // A 429 draws from no bucket, every other response does: https://www.rfc-editor.org/rfc/rfc6585#section-4
    state.hasRateLimit = isThrottled(admission);
    throw refusal(admission, { ...request, credits, limits: limitsOf(organization), bucket });
  }
  const { reader } = request;
  if (reader) state.onDelivery.push(() => fx.usage.release(organization, reader.id));
  return credits;
}

function assertCredits(state: State, credits: number): void {
  const { available, period } = state.usage?.credits ?? { available: 0, period: periodOf(state.fx.now()) };
  if (available < credits) throw insufficientCredits(credits, { available, period });
}

function settle(state: State, settlement: EndedSettlement, record: RecordEnd): void {
  settleBy(state, () => close(state, settlement, record));
  predictUsage(state, settlement);
}

function settleBy(state: State, step: () => Promise<void>): void {
  state.settling = step();
  // `finish` reports the failure.
  state.settling.catch(() => undefined);
}

async function counted({ fx, organization }: State, ended: Ended, record: RecordEnd): Promise<void> {
  await record(ended);
  await fx.usage.count(organization, tallyOf(ended), fx.now());
}

function settleOnDelivery(state: State, settlement: EndedSettlement, record: RecordEnd): void {
  state.onDelivery.push((isDelivered) => {
    const ended = isDelivered ? settlement.ended : undelivered(settlement.ended);
    state.charged = ended.charged;
    return close(state, { ...settlement, ended }, record);
  });
  predictUsage(state, settlement);
}

/** Records first: if the process dies, its slot is freed and charged as the line says. */
async function close(state: State, settlement: EndedSettlement, record: RecordEnd): Promise<void> {
  const { fx, organization } = state;
  const [recorded] = await Promise.allSettled([record(settlement.ended)]);
  const settled = { ...settlement, ended: tallyOf(settlement.ended) };
  const usage = await fx.usage.settle(organization, settled, fx.now());
  // If this fails, the sweeper does it within a minute.
  if (usage.waiting.isAwaited) await fx.queue?.wake(organization.id);
  await report(state, usage);
  if (recorded.status === 'rejected') throw recorded.reason;
}

/** Has low credits reported. If this fails, the next scrape of the month does it. */
async function report({ fx, organization }: State, usage: Usage): Promise<void> {
  if (mustReport(usage)) await fx.notifierQueue?.credits(organization.id).catch(() => undefined);
}

/** A page that was not delivered whole is not charged. */
function undelivered(ended: Ended): Ended {
  return { ...ended, reason: 'no_page', charged: 0 };
}

/** The headers report the charge before it is written. */
function predictUsage(state: State, { held, ended }: EndedSettlement): void {
  const { usage } = state;
  state.charged = ended.charged;
  if (usage === undefined) return;
  const available = usage.credits.available + held - state.charged;
  state.usage = { ...usage, credits: { ...usage.credits, available } };
}
