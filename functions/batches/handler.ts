import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { batchOperations } from './operations.ts';

const config = readEnv('batches');
const { log, basics } = compose.basicsOf('batches', config);
const fx = {
  ...basics,
  ...compose.workOf(config),
  ...compose.resultsOf(config),
};
const operations = batchOperations(fx, compose.targetsOf(config));

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
