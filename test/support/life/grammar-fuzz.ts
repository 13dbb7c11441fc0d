import { openapi } from '../../../shared/api/openapi.ts';
import { ErrorBody } from '../../../shared/contract/error-body.ts';
import { deviations, operationsOf } from '../stack/described-api.ts';
import { callOf, type Known, type WireCall } from './grammar.ts';
import { randomOf } from '../world/random.ts';

export type WireReply = { status: number; headers: Headers; text: string };
type Options = {
  seed: number;
  calls: number;
  known: Known;
  send: (call: WireCall) => Promise<WireReply>;
  forEachConcurrently?: number;
  /** In front of the functions, whose documentation is a file beside their bundle. */
  isBehindGateway?: boolean;
};

/** Only the target and a saturated service may fail, and no fault of the service itself. */
const FAULTS = [502, 503, 504];
/** A path with other slashes or dots is another path, and not described. */
const ELSEWHERE = [200, 301, 302, 308, 400, 401, 403, 404, 405];
/** Whole descriptions are compared for the first of a kind: each takes milliseconds. */
const COMPARED = 3;

/**
 * Sends random calls of all operations. Returns what was wrong with the replies, each with the number of its
 * call, and the credits that the replies named. The same seed makes the same calls.
 */
export async function grammarFuzz({
  seed,
  calls,
  known,
  send,
  forEachConcurrently = 1,
  isBehindGateway = false,
}: Options) {
  const all = operationsOf(openapi());
  const operations = isBehindGateway ? all : all.filter(({ path }) => !/^\/(docs|llms)\b/.test(path));
  const wrong: string[] = [];
  const seen = new Map<string, number>();
  let [next, credits] = [0, 0];

  async function judged(n: number): Promise<void> {
    const random = randomOf(seed * 1_000_003 + n);
    const operation = random.of(operations);
    const call = callOf(random, operation, known);
    const reply = await send(call);
    const isHere = pathsAlike(operation.path, call.path);
    const used = Number(reply.headers.get('x-credits-used') ?? 0);
    credits += used;
    const kind = `${operation.operationId} ${reply.status}`;
    const times = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, times);
    const problems = [
      ...problemsOf(reply, used),
      ...(isHere ? [] : ELSEWHERE.includes(reply.status) ? [] : [`status ${reply.status} elsewhere`]),
      ...(isHere && !(reply.status in operation.responses)
        ? [`status ${reply.status} is not described`]
        : []),
      ...(isBehindGateway && isHere && times <= COMPARED && !isOfGateway(reply)
        ? await deviations(operation, responseOf(reply))
        : []),
    ];
    for (const problem of problems) wrong.push(`seed ${seed}, call ${n}: ${problem}\n${shown(call)}`);
  }

  const work = async () => {
    while (next < calls && wrong.length < 10) await judged(next++);
  };
  await Promise.all(Array.from({ length: forEachConcurrently }, work));
  return { wrong, credits, seen };
}

/** The gateway's own refusals know no caller, and go to any origin, although no call here names one. */
const isOfGateway = ({ status, headers }: WireReply) =>
  status >= 400 && headers.has('access-control-allow-origin');

function problemsOf({ status, headers, text }: WireReply, used: number): string[] {
  if (status < 400) return [];
  const type = headers.get('content-type') ?? '';
  const isJson = text === '' || (type.startsWith('application/json') && isError(text));
  return [
    ...(status >= 500 && !FAULTS.includes(status) ? [`status ${status}: ${text.slice(0, 300)}`] : []),
    ...(used === 0 ? [] : [`${used} credits for status ${status}`]),
    ...(isJson ? [] : [`status ${status} is no error of the service: ${text.slice(0, 300)}`]),
  ];
}

function isError(text: string): boolean {
  try {
    return ErrorBody.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Whether a path, as servers read it, is one of the operation. */
function pathsAlike(described: string, sent: string): boolean {
  const [path = ''] = sent.split('?');
  const { pathname } = new URL(path, 'http://api.test');
  return new RegExp(`^${described.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname) && pathname === path;
}

/** A response of its own has no body with these. */
const BODILESS = [204, 304];

function responseOf({ status, headers, text }: WireReply): Response {
  return new Response(BODILESS.includes(status) ? null : text, { status, headers });
}

const shown = ({ method, path, headers, body }: WireCall) =>
  `${method} ${path.slice(0, 500)}\n${JSON.stringify({ ...headers, Authorization: '…' })}\n${body?.slice(0, 1_500) ?? ''}`;
