import type { Context, ScheduledEvent, SQSEvent } from 'aws-lambda';
import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { failDeadLetters } from './fail-dead-letters.ts';
import { countChromiumAge } from './count-chromium-age.ts';
import { sweep } from './sweep.ts';

/** Time to finish the last page of a sweep. */
const MARGIN_MS = 10_000;

const config = readEnv('sweeper');
const { log, basics } = compose.basicsOf('sweeper', config);
const fx = {
  ...basics,
  log,
  ...compose.jobsOf(config),
  ...compose.queueOf(config),
  ...compose.webhooksOf(config),
};

export async function handler(event: ScheduledEvent | SQSEvent, context: Context): Promise<void> {
  const budget = Math.max(0, context.getRemainingTimeInMillis() - MARGIN_MS);
  if ('Records' in event) {
    await failDeadLetters(fx, event);
    return;
  }
  countChromiumAge(fx, config.CHROMIUM_RELEASED);
  await sweep(fx, AbortSignal.timeout(budget));
}
