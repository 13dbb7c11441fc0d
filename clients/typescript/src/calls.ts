import { type Answer, answerOf, nextCursor } from './answer.ts';
import { pause } from './deadline.ts';
import { unexpected } from './sitefetch-error.ts';
import { type Call, type CallOptions, lost, type Query, type Received, type Transport } from './transport.ts';

/** A submit keeps its `Idempotency-Key` in every repeat. A random one if absent. */
export type SubmitOptions = CallOptions & { idempotencyKey?: string | undefined };

export const get = async <T extends object>(
  { send }: Transport,
  to: string,
  { query, ...options }: CallOptions & { query?: Query } = {},
): Promise<Answer<T>> => answerOf<T>(await send({ ...options, to, query, isRepeatable: true }));

/** A call that changes something and is not repeated unless it was refused. */
export const change = async <T extends object>(
  { send }: Transport,
  to: string,
  more: Partial<Call> = {},
): Promise<Answer<T>> => answerOf<T>(await send({ method: 'POST', ...more, to, isRepeatable: false }));

export async function remove({ send }: Transport, to: string, more: Partial<Call> = {}): Promise<void> {
  await send({ ...more, method: 'DELETE', to, isRepeatable: false });
}

export const submit = (
  { send }: Transport,
  to: string,
  body: unknown,
  { idempotencyKey = crypto.randomUUID(), headers, ...options }: SubmitOptions & Pick<Call, 'headers'> = {},
): Promise<Received> =>
  send({
    ...options,
    method: 'POST',
    to,
    body,
    headers: { ...headers, 'Idempotency-Key': idempotencyKey },
    isRepeatable: true,
  });

type Listed<T> = { data: T[]; next_cursor?: string };

/** All entries of a list, page by page. */
export async function* entriesOf<T>(
  transport: Transport,
  to: string,
  { query, ...options }: CallOptions & { query?: Query } = {},
): AsyncGenerator<T, undefined> {
  let cursor: string | undefined;
  do {
    const page: Listed<T> = await get(transport, to, { ...options, query: { ...query, cursor } });
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}

/** Lines that have no cursor of their own: each response is read whole before its first one is returned. */
export async function* linesOf<T>(
  { send }: Transport,
  to: string,
  { query, ...options }: CallOptions & { query?: Query } = {},
): AsyncGenerator<T, undefined> {
  for (let cursor: string | undefined; ;) {
    const received = await send({ ...options, to, query: { ...query, cursor }, isRepeatable: true });
    const { lines } = wholeLines(received);
    yield* lines as T[];
    const next = nextCursor(received.headers);
    if (next === undefined) return;
    if (lines.length === 0 && next === cursor) await pause(POLL_MS, options.signal);
    cursor = next;
  }
}

const POLL_MS = 2_000;

/**
 * Lines that each have a cursor, until the last one exists. After a broken connection they continue behind
 * the last whole line; so they do where a response does not state its length, for it may have been cut off.
 */
export async function* resultsOf<T extends { cursor: string }>(
  { send, retries }: Transport,
  to: string,
  { query, cursor, ...options }: CallOptions & { query?: Query; cursor?: string | undefined },
): AsyncGenerator<T, undefined> {
  let [at, failures, isDoubted] = [cursor, 0, true];
  for (;;) {
    const call: Call = { ...options, to, query: { ...query, cursor: at }, isRepeatable: true };
    const received = await send({ ...call, acceptsCut: true, headers: { Accept: 'application/x-ndjson' } });
    const { lines, isCut } = wholeLines(received);
    for (const line of lines as T[]) {
      at = line.cursor;
      yield line;
    }
    if (lines.length > 0) [failures, isDoubted] = [0, true];
    if (isCut) {
      failures += 1;
      if (failures > retries) throw lost(received);
    } else if (received.hasLength || !isDoubted) {
      const next = nextCursor(received.headers);
      if (next === undefined) return;
      if (lines.length === 0 && next === at) await pause(POLL_MS, options.signal);
      at = next;
    } else isDoubted = lines.length > 0;
  }
}

/** A line that has no line feed is the beginning of one. */
function wholeLines({ bytes, isCut, headers, status }: Received): { lines: unknown[]; isCut: boolean } {
  const lines = new TextDecoder().decode(bytes).split('\n');
  const rest = lines.pop();
  try {
    return {
      lines: lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown),
      isCut: isCut || rest !== '',
    };
  } catch (cause) {
    throw unexpected({ status, headers }, 'A line of the response is not JSON.', cause);
  }
}
