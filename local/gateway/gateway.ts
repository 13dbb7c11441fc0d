import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Answer } from '../lambda/invocation.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import { listen, type Listening } from '../listen.ts';
import type { Blueprint } from '../template/blueprint.ts';
import { sendGatewayResponse } from './gateway-response.ts';
import { integrate } from './integrate.ts';
import { matchRoute, type RouteMatch } from './match-route.ts';
import { proxyEvent } from './proxy-event.ts';

type GatewayOptions = {
  port: number;
  host?: string;
  blueprint: Pick<Blueprint, 'routes' | 'gatewayResponses'>;
  functionOf: (arn: string) => LambdaFunction;
  /** Answers `/`, which is no route of the API. */
  front?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called with a request's id, and its method and path, before it goes to a function. */
  began?: (requestId: string, call: string) => void;
  /** Called with a line per response of the gateway itself and per fault of a function. */
  report: (line: string) => void;
};

/**
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const MAX_BODY_BYTES = 10 * 2 ** 20;
/** Longer paths are cut in the log. */
const MAX_PATH_LENGTH = 200;

/** A REST API with Lambda proxy integrations. */
export async function openGateway(options: GatewayOptions): Promise<Listening> {
  const { port, host, blueprint, functionOf, front, began, report } = options;
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    response.on('error', () => undefined);
    serve(request, response).catch((error: unknown) => {
      report(`${callOf(request)}  ${String(error)}`);
      response.destroy();
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    const fault = await answer(request, response, requestId);
    if (!fault) return;
    response.once('finish', reportResponse);
    sendGatewayResponse(response, blueprint.gatewayResponses, fault, requestId);
  }

  async function answer(request: IncomingMessage, response: ServerResponse, requestId: string) {
    const match = routeOf(request);
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
    reportFault(target, answering);
    return integrate(answering, match.route, response);
  }

  function reportFault({ spec }: LambdaFunction, answering: Promise<Answer>): void {
    answering
      .then(({ fault }) => fault)
      .then((fault) => fault && report(`${spec.label}: ${fault.errorType}: ${fault.errorMessage}`))
      .catch((error: unknown) => report(`${spec.label}: ${String(error)}`));
  }

  /** Undefined if there is no such route, null if the path is malformed. */
  function routeOf({ method, url }: IncomingMessage): RouteMatch | undefined | null {
    try {
      return matchRoute(blueprint.routes, method ?? 'GET', new URL(`http://gateway${url ?? '/'}`).pathname);
    } catch {
      return null;
    }
  }

  return listen(server, port, host);
}

const isForFront = ({ method, url }: IncomingMessage) =>
  (method === 'GET' || method === 'HEAD') && /^\/(\?|$)/.test(url ?? '/');

/** Method and path, without the query. */
function callOf({ method, url }: IncomingMessage): string {
  const [path = '/'] = (url ?? '/').split('?');
  return `${method} ${path.slice(0, MAX_PATH_LENGTH)}`;
}

/** Undefined if the body is larger than API Gateway accepts. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
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
