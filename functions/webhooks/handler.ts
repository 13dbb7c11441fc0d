import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { webhookOperations } from './operations.ts';

const config = readEnv('webhooks');
const { log, basics } = compose.basicsOf('webhooks', config);
const fx = {
  ...basics,
  ...compose.webhooksOf(config),
  ...compose.vaultOf(config),
};
const operations = webhookOperations(fx, compose.egressOf(config));

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
