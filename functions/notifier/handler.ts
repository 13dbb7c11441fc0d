import type { Context, SQSEvent } from 'aws-lambda';
import { clock } from '../../shared/adapters/clock.ts';
import * as compose from '../../shared/adapters/compose.ts';
import { telemetryOf } from '../../shared/adapters/telemetry.ts';
import { readEnv } from '../../shared/config.ts';
import { consume, lastStartIn } from './consume.ts';

const config = readEnv('notifier');
const { log, count, watch } = telemetryOf('notifier', config);
const fx = {
  ...clock,
  count,
  ...compose.creditsOf(config, watch),
  ...compose.webhooksOf(config),
  ...compose.vaultOf(config),
  ...compose.attemptsOf(config),
};

export const handler = (event: SQSEvent, context: Context) =>
  consume(fx, event, { log, lastStart: lastStartIn(context) });
