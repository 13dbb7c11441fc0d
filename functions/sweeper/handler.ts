import type { Context, ScheduledEvent, SQSEvent } from 'aws-lambda';
import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { failDeadLetters } from './fail-dead-letters.ts';
import { countChromiumAge, sweep, sweepSignal } from './sweep.ts';

const config = readEnv('sweeper');
const { log, basics } = compose.basicsOf('sweeper', config);
const fx = { ...basics, log, ...compose.workOf(config) };

export async function handler(event: ScheduledEvent | SQSEvent, context: Context): Promise<void> {
  if ('Records' in event) return void (await failDeadLetters(fx, event));
  countChromiumAge(fx, config.CHROMIUM_RELEASED);
  await sweep(fx, sweepSignal(context));
}
