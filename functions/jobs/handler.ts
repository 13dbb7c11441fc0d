import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { jobOperations } from './operations.ts';

const config = readEnv('jobs');
const { log, basics } = compose.basicsOf('jobs', config);
const fx = {
  ...basics,
  ...compose.workOf(config),
  ...compose.resultsOf(config),
};
const operations = jobOperations(fx, compose.targetsOf(config));

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
