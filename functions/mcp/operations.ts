import {
  createMcpHandler,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { PATIENCE_MS } from '../../clients/mcp/call-tool.ts';
import { mcpServer } from '../../clients/mcp/mcp-server.ts';
import { type Fetch, Sitefetch } from '../../clients/typescript/src/sitefetch.ts';
import manifest from '../../package.json' with { type: 'json' };
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
      if (!refused) await (callsTool(call) ? takeWaitingPlace(call) : call.meter.takeRateLimit());
      return replyOf(refused ?? (await answer(request, call, { apiUrl, fetch })));
    },
  };
}

/** Each request has a server of its own and no session. Tools never change, so subscriptions end at once. */
async function answer(
  request: Request,
  call: AuthenticatedCall,
  { apiUrl, fetch }: Needs & { fetch: Fetch | undefined },
): Promise<Response> {
  const [, apiKey = ''] = (call.headers.authorization ?? '').trim().split(/ +/);
  const client = new Sitefetch({ apiKey, baseUrl: apiUrl, fetch, timeoutMs: PATIENCE_MS });
  const onFault = (error: unknown) => call.requestLog.fail(error);
  const make = await mcpServer({ client, apiUrl, onFault }, manifest.version);
  return createMcpHandler(make).fetch(request);
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

/** Tools may wait for a page. */
function callsTool({ body = '' }: AuthenticatedCall): boolean {
  try {
    return [JSON.parse(body)].flat().some((message: { method?: unknown }) => message.method === 'tools/call');
  } catch {
    return false;
  }
}
