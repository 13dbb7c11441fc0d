import type { ServerResponse } from 'node:http';
import type { Answer } from '../lambda/invocation.ts';
import { pipeResponse } from '../pipe-response.ts';
import type { Route } from '../template/blueprint.ts';
import type { GatewayFault } from './gateway-response.ts';
import { readToEnd, takePrelude, takeWhole, type StreamedResponse } from './integration-response.ts';

/** Pipes the function's response to the client. Returns the fault if nothing has been sent yet. */
export async function integrate(
  answering: Promise<Answer>,
  route: Route,
  response: ServerResponse,
): Promise<GatewayFault | undefined> {
  const expired = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => {
    expired.resolve('timeout');
    // A response that has begun must not look complete.
    if (response.headersSent) response.destroy();
  }, route.timeoutMs);
  const beginning = answering.then(route.isStreamed ? takePrelude : takeWhole);
  try {
    const begun = await Promise.race([beginning, expired.promise]);
    if (begun === 'timeout') {
      void beginning.then((late) => late && readToEnd(late.body)).catch(() => undefined);
      return 'INTEGRATION_TIMEOUT';
    }
    if (!begun || !sendHead(begun, response)) return 'INTEGRATION_FAILURE';
    await pipeResponse(begun.body, response);
    if (await (await answering).fault) response.destroy();
    else response.end();
    return undefined;
  } catch {
    // The function was throttled.
    return 'INTEGRATION_FAILURE';
  } finally {
    clearTimeout(timer);
  }
}

/** False if HTTP does not allow the function's headers. */
function sendHead({ status, headers, body }: StreamedResponse, response: ServerResponse): boolean {
  try {
    response.writeHead(status, headers).flushHeaders();
    return true;
  } catch {
    void readToEnd(body);
    return false;
  }
}
