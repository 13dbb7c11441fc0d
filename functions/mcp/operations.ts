import {
  createMcpHandler,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { PATIENCE_MS } from '../../clients/mcp/call-tool.ts';
import { mcpServer } from '../../clients/mcp/mcp-server.ts';
import { type Fetch, Sitefetch } from '../../clients/typescript/src/sitefetch.ts';
import manifest from '../../package.json' with { type: 'json' };
import { isJsonObject } from '../../shared/contract/json-object.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { takeWaitingPlace } from '../../shared/http/reader-place.ts';
import type { Reply } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';

type Needs = Pick<Effects, 'apiUrl'>;

/** Tools for agents. They call the API with the caller's key, so limits and prices are the same. */
export function mcpOperations({ apiUrl }: Needs, fetch?: Fetch): Operations<'mcp'> {
  return {
    callMcp: async (call) => {
      const request = requestOf(call, apiUrl);
      const refused = originValidationResponse(request, originsOf(apiUrl));
      if (refused) return replyOf(refused);
      const message = messageIn(call);
      // Tools may wait for a page.
      await (message?.method === 'tools/call' ? takeWaitingPlace(call) : call.meter.takeRateLimit());
      return replyOf(message ? await answer({ request, message }, call, { apiUrl, fetch }) : notMessage());
    },
  };
}

/** Each request has a server of its own and no session. Tools never change, so subscriptions end at once. */
async function answer(
  { request, message }: { request: Request; message: Message },
  call: AuthenticatedCall,
  { apiUrl, fetch }: Needs & { fetch: Fetch | undefined },
): Promise<Response> {
  const [, apiKey = ''] = (call.headers.authorization ?? '').trim().split(/ +/);
  const client = new Sitefetch({ apiKey, baseUrl: apiUrl, fetch, timeoutMs: PATIENCE_MS });
  const onFault = (error: unknown) => call.requestLog.fail(error);
  const make = await mcpServer({ client, apiUrl, onFault }, manifest.version);
  return createMcpHandler(make).fetch(request, { parsedBody: message });
}

const PROTOCOL_HEADER = /^(?:accept|content-type|origin|mcp-.+)$/;

function requestOf({ headers, body = '' }: AuthenticatedCall, apiUrl: string): Request {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value !== undefined && PROTOCOL_HEADER.test(name) ? [[name, value] as [string, string]] : [],
  );
  return new Request(`${apiUrl}/mcp`, { method: 'POST', headers: given, body });
}

async function replyOf(response: Response): Promise<Reply> {
  const type = response.headers.get('Content-Type');
  return {
    status: response.status,
    headers: type === null ? {} : { 'Content-Type': type },
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

/** Only pages of this host may call it, whatever name a page has its own host resolve by: DNS rebinding. */
function originsOf(apiUrl: string): string[] {
  const { hostname } = new URL(apiUrl);
  const local = localhostAllowedOrigins();
  return local.includes(hostname) ? local : [hostname];
}

type Message = { method?: unknown };

/**
 * The message in a body. There is none in a batch, which the protocol no longer has: if it cancelled its own
 * requests, there would be no response, and the function would wait until its timeout.
 */
function messageIn({ body = '' }: AuthenticatedCall): Message | undefined {
  try {
    const json: unknown = JSON.parse(body);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** https://www.jsonrpc.org/specification#error_object */
const INVALID_REQUEST = { code: -32_600, message: 'The body is not one JSON-RPC message.' };

const notMessage = () => Response.json({ jsonrpc: '2.0', error: INVALID_REQUEST, id: null }, { status: 400 });
