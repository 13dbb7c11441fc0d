import { egressOf } from '../../shared/adapters/compose.ts';
import { telemetryOf } from '../../shared/adapters/telemetry.ts';
import { readEnv } from '../../shared/config.ts';
import { startIsolates } from './launch/start-isolates.ts';
import { serveBuffered, serveUntilSpent } from './serve.ts';

const config = readEnv('browser');
const { log, count } = telemetryOf('browser', config);
const isolates = await startIsolates({
  policy: egressOf(config),
  chromiumDir: config.CHROMIUM_DIR,
  wanted: config.BROWSER_PROCESSES,
  runtimeApi: config.AWS_LAMBDA_RUNTIME_API,
  log,
  count,
});

export const handler = awslambda.streamifyResponse(serveUntilSpent({ isolates, log, count }));
export const buffered = (event: unknown) => serveBuffered(isolates, log, event);
