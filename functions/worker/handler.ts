import type { Context, SQSEvent } from 'aws-lambda';
import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { consume, timesOf } from './consume.ts';

const config = readEnv('worker');
const { log, basics } = compose.basicsOf('worker', config);
const { inbox, postpone } = compose.consumerOf(config);
const fx = {
  ...basics,
  inbox,
  ...compose.workOf(config),
  ...compose.resultsOf(config),
  ...compose.pagesOf(config),
};
const { ROBOTS_TOKEN: robotsToken, HOST_CONCURRENCY: hostConcurrency } = config;
const policy = compose.targetsOf(config);

export const handler = (event: SQSEvent, context: Context) =>
  consume(fx, event, { log, postpone, policy, robotsToken, hostConcurrency, ...timesOf(context) });
