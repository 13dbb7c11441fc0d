import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { egressOf, telemetryOf } from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import { assertSealed } from './launch/assert-sealed.ts';
import { isolates } from './launch/isolates.ts';
import { INIT_DEADLINE_MS, proveStart } from './launch/prove-start.ts';
import { sweepProfiles } from './launch/sweep-profiles.ts';
import { serveRender, serveUntilSpent } from './serve.ts';

const config = readEnv('browser');
const { log, count } = telemetryOf('browser', config);
const egress = egressOf(config);
const chromiumDir = config.CHROMIUM_DIR;
/** After a slow start the first scrape launches its browser, so that the init ends in time. */
const MAX_BEFORE_WARM_MS = 5_000;

await assertSealed(egress, config.AWS_LAMBDA_RUNTIME_API);
await sweepProfiles();
const processes = await proveStart({ chromiumDir, wanted: config.BROWSER_PROCESSES, log, count });
const browsers = isolates({ chromiumDir, policy: egress, processes });
// Awaited: a launch that is frozen halfway times out when it thaws.
const usedMs = performance.now();
if (usedMs < MAX_BEFORE_WARM_MS) await browsers.keepWarm(Math.round(INIT_DEADLINE_MS - usedMs));

export const handler = awslambda.streamifyResponse(serveUntilSpent({ isolates: browsers, log, count }));

/** For `sam local invoke`, which cannot stream. */
export async function buffered(event: unknown): Promise<string> {
  const stream = new PassThrough();
  const requestLog = openRequestLog();
  const [answer] = await Promise.all([text(stream), serveRender(browsers, event, stream, requestLog)]);
  requestLog.write(log, 'render');
  return answer;
}
