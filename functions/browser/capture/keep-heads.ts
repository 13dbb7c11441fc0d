import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Captured, CaptureRule } from '../../../shared/contract/scrape/capture.ts';
import { MAX_URL_LENGTH } from '../../../shared/contract/scrape/page.ts';
import { isWeb } from '../../../shared/domain/scrape/target/target-url.ts';
import { isBodiless } from '../page/empty-body.ts';
import { matchesGlob } from '../page/matches-glob.ts';

type Call = Pick<Captured, 'url' | 'method'>;

/** A request that has not ended. */
export type OpenFetch = {
  /** It, and the redirects that it has followed. */
  calls: [Call, ...Call[]];
  /** Its response, `unavailable` until the body is read. */
  awaited?: Captured | undefined;
  headBytes?: number;
  /** Of the body so far, decoded. Undefined if none has come. */
  bytes?: number;
};

/** A page may poll without end. */
const MAX_RESPONSES = 500;
/** Of their URLs and headers. A server may send 256 KB with each. */
const MAX_ALL_HEADS_LENGTH = 5_000_000;
const TYPES: Readonly<Record<string, Captured['type']>> = { Fetch: 'fetch', XHR: 'xhr' };

export type HeadKeeper = {
  /** The responses that the rules mean. */
  kept: Captured[];
  /** Fills `open` with the requests of a session. */
  watch: (session: CDPSession, open: Map<string, OpenFetch>) => void;
};

export function headKeeper(rules: readonly CaptureRule[]): HeadKeeper {
  const kept: Captured[] = [];
  let length = 0;

  function keep(response: Captured): boolean {
    length += JSON.stringify(response).length;
    if (length > MAX_ALL_HEADS_LENGTH) return false;
    kept.push(response);
    return true;
  }
  return {
    kept,
    watch(session, open) {
      session.on('Network.requestWillBeSent', (event) => {
        if (TYPES[event.type ?? 'Other'] && kept.length < MAX_RESPONSES) follow(open, event);
      });
      session.on('Network.responseReceived', ({ requestId, response, type: resource }) => {
        const request = open.get(requestId);
        const type = TYPES[resource];
        // Many requests may precede the first response.
        if (!request || !type || kept.length >= MAX_RESPONSES || !isWeb(URL.parse(response.url))) return;
        const captured = { ...answered(request.calls, response.url), type, ...headOf(response) };
        const calls = [...request.calls, captured];
        const matching = rules.filter((rule) => calls.some((call) => isMeant(rule, call, type)));
        if (matching.length === 0 || !keep(captured)) return;
        if (!matching.some(({ body = true }) => body)) return;
        if (captured.method === 'HEAD' || isBodiless(captured.status)) captured.body = '';
        else awaitBody(request, captured, response.encodedDataLength);
      });
    },
  };
}

function follow(
  open: Map<string, OpenFetch>,
  { requestId, request: { url, method }, redirectResponse }: Protocol.Network.RequestWillBeSentEvent,
): void {
  const earlier = redirectResponse && open.get(requestId);
  const call = { url: url.length <= MAX_URL_LENGTH ? url : '', method };
  if (earlier) earlier.calls.push(call);
  else open.set(requestId, { calls: [call] });
}

/** By the last request; with the URL of the first, if that was redirected. */
function answered(calls: OpenFetch['calls'], url: string) {
  const [{ url: requested }, ...redirects] = calls;
  const { method } = redirects.at(-1) ?? calls[0];
  return { url, ...(redirects.length > 0 && requested && { requested_url: requested }), method };
}

function awaitBody(request: OpenFetch, response: Captured, headBytes: number): void {
  response.omitted = 'unavailable';
  request.awaited = response;
  request.headBytes = headBytes;
}

function isMeant(rule: CaptureRule, { url, method }: Call, type: Captured['type']): boolean {
  return (
    matchesGlob(url, rule.url) &&
    (rule.method === undefined || rule.method === method) &&
    (rule.type === undefined || rule.type === type)
  );
}

const headOf = ({
  status,
  headers,
}: Protocol.Network.Response): Pick<Captured, 'status' | 'headers' | 'body'> => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
});
