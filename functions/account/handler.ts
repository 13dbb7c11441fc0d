import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { accountOperations } from './operations.ts';

const config = readEnv('account');
const { log, basics: fx } = compose.basicsOf('account', config);
const operations = accountOperations(fx);

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
