import type { ServerResponse } from 'node:http';
import type { GatewayResponse } from '../template/resource-schemas.ts';

/** The gateway's own responses by type, with API Gateway's default status and message. */
const kinds = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request too long' },
  THROTTLED: { status: 429, message: 'Too Many Requests' },
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
  DEFAULT_4XX: { status: 400, message: 'Bad Request' },
} as const;

/** Of an API on its default domain, with the name of its stage. */
const DEPLOYED_URL = /https:\/\/[\w-]+\.execute-api\.[\w.-]+\/\w+/g;

export type GatewayFault = keyof typeof kinds;

/**
 * Sends the template's gateway response for this fault, else the template's default for 4xx or 5xx.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export function sendGatewayResponse(
  response: ServerResponse,
  responses: readonly GatewayResponse[],
  fault: GatewayFault,
  { requestId, apiUrl }: { requestId: string; apiUrl: string },
): void {
  const { status, message } = kinds[fault];
  const byType = (type: string) => responses.find(({ ResponseType }) => ResponseType === type);
  const own = byType(fault) ?? byType(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const context: Readonly<Record<string, string>> = {
    'context.requestId': requestId,
    'context.error.message': message,
    'context.error.messageString': JSON.stringify(message),
    'context.error.responseType': fault,
  };
  const template = own?.ResponseTemplates['application/json'] ?? '{"message":$context.error.messageString}';
  // The local stage has no name in paths.
  const body = template
    .replaceAll(DEPLOYED_URL, apiUrl)
    .replaceAll('/$context.stage', '')
    .replace(/\$(context(?:\.\w+)+)/g, (_, name: string) => context[name] ?? '');
  response.writeHead(own?.StatusCode ?? status, {
    'Content-Type': 'application/json',
    ...headersOf(own, context),
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** A value is a literal in single quotes or the name of a context variable. */
function headersOf(own: GatewayResponse | undefined, context: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(own?.ResponseParameters ?? {})
      .filter(([name]) => name.startsWith('gatewayresponse.header.'))
      .map(([name, value]) => [
        name.slice('gatewayresponse.header.'.length),
        /^'(.*)'$/.exec(value)?.[1] ?? context[value] ?? '',
      ]),
  );
}
