import type { ServerResponse } from 'node:http';
import type { Answer } from '../lambda/invocation.ts';
import { passOn } from '../pass-on.ts';
import type { Route } from '../template/blueprint.ts';
import type { GatewayFault } from './gateway-response.ts';
import { readToEnd, takePrelude, takeWhole, type StreamedResponse } from './integration-response.ts';

/** Calls the function and passes its answer on. Returns what went wrong if nothing was passed on yet. */
export async function integrate(
  answering: Promise<Answer>,
  route: Route,
  response: ServerResponse,
): Promise<GatewayFault | undefined> {
  const expired = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => {
    expired.resolve('timeout');
    // Under way already: then it must not look complete.
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
    await passOn(begun.body, response);
    if (await (await answering).fault) response.destroy();
    else response.end();
    return undefined;
  } catch {
    // Throttled.
    return 'INTEGRATION_FAILURE';
  } finally {
    clearTimeout(timer);
  }
}

/** False if the function gave headers that HTTP does not know. */
function sendHead({ status, headers, body }: StreamedResponse, response: ServerResponse): boolean {
  try {
    response.writeHead(status, headers).flushHeaders();
    return true;
  } catch {
    void readToEnd(body);
    return false;
  }
}
