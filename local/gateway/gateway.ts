import { randomUUID } from 'node:crypto';
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from '../lambda/invocation.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import type { Blueprint } from '../template/blueprint.ts';
import { type GatewayFault, sendGatewayResponse } from './gateway-response.ts';
import { integrate } from './integrate.ts';
import { matchRoute, type RouteMatch } from './match-route.ts';
import { proxyEvent } from './proxy-event.ts';

export type GatewayOptions = {
  blueprint: Pick<Blueprint, 'routes' | 'gatewayResponses'>;
  apiUrl: string;
  functionOf: (arn: string) => LambdaFunction;
  /** Handles `/`, which is not a route of the API. */
  front?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called with a request's id, and its method and path, before it goes to a function. */
  began?: (requestId: string, call: string) => void;
  /** Called with a line per response of the gateway itself and per fault of a function. */
  report: (line: string) => void;
};

const MAX_PATH_LENGTH = 200;

/** The gateway handles this server's requests from now on. */
export function serveGateway(server: Server, options: GatewayOptions): void {
  server.removeAllListeners('clientError').on('clientError', (_, socket: Socket) => {
    options.report('a request that is not HTTP, or has too long headers');
    refuse(socket, options);
  });
  server.removeAllListeners('request').on('request', (request, response) => {
    response.on('error', () => undefined);
    serve(options, request, response).catch((error: unknown) => {
      options.report(`${callOf(request)}  ${String(error)}`);
      response.destroy();
    });
  });
}

/** Node's own response to such a request has no body. */
function refuse(socket: Socket, { blueprint, apiUrl }: GatewayOptions): void {
  if (!socket.writable) return;
  const response = new ServerResponse(new IncomingMessage(socket));
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  sendGatewayResponse(response, blueprint.gatewayResponses, 'DEFAULT_4XX', {
    requestId: randomUUID(),
    apiUrl,
  });
}

async function serve(
  options: GatewayOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { front, blueprint, apiUrl, report } = options;
  const startedAt = performance.now();
  const requestId = randomUUID();
  const reportResponse = () => {
    const ms = Math.round(performance.now() - startedAt);
    report(`${callOf(request)}  ${response.statusCode}  ${ms} ms`);
  };
  if (front && isForFront(request)) {
    response.once('finish', reportResponse);
    front(request, response);
    return;
  }
  const fault = await answer(options, request, response, requestId);
  if (!fault) return;
  response.once('finish', reportResponse);
  sendGatewayResponse(response, blueprint.gatewayResponses, fault, { requestId, apiUrl });
}

/** Returns the fault if the gateway itself has to respond. */
async function answer(
  { blueprint, functionOf, began, report }: GatewayOptions,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<GatewayFault | undefined> {
  const match = routeOf(blueprint.routes, request);
  if (!match) return match === null ? 'DEFAULT_4XX' : 'MISSING_AUTHENTICATION_TOKEN';
  const body = await readBody(request);
  if (!body) {
    response.setHeader('Connection', 'close');
    return 'REQUEST_TOO_LARGE';
  }
  const event = JSON.stringify(proxyEvent(request, match, body, requestId));
  const target = functionOf(match.route.functionArn);
  began?.(requestId, callOf(request));
  const answering = target.invoke(event);
  void faultIn(answering).then((fault) => fault && report(`${target.spec.label}: ${fault}`));
  return integrate(answering, match.route, response);
}

function faultIn(answering: Promise<Answer>): Promise<string | undefined> {
  return answering
    .then(({ fault }) => fault)
    .then((fault) => fault && `${fault.errorType}: ${fault.errorMessage}`)
    .catch(String);
}

/** Undefined if there is no such route, null if the path is malformed. */
function routeOf(
  routes: Blueprint['routes'],
  { method, url }: IncomingMessage,
): RouteMatch | undefined | null {
  try {
    return matchRoute(routes, method ?? 'GET', new URL(`http://gateway${url ?? '/'}`).pathname);
  } catch {
    return null;
  }
}

const isForFront = ({ method, url }: IncomingMessage) =>
  (method === 'GET' || method === 'HEAD') && /^\/(\?|$)/.test(url ?? '/');

function callOf({ method, url }: IncomingMessage): string {
  const [path = '/'] = (url ?? '/').split('?');
  return `${method} ${path.slice(0, MAX_PATH_LENGTH)}`;
}

/**
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const MAX_BODY_BYTES = 10 * 2 ** 20;

/** Undefined if the body is larger than API Gateway accepts. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) return undefined;
  }
  return Buffer.concat(chunks);
}
