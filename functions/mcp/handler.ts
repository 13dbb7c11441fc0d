import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { mcpOperations } from './operations.ts';

const config = readEnv('mcp');
const { log, basics: fx } = compose.basicsOf('mcp', config);
const operations = mcpOperations(fx);

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
