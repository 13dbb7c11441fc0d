import { clock } from '../../shared/adapters/clock.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { openLog } from '../../shared/observe/log.ts';
import { metaOperations } from './operations.ts';

const { DEMO_PAGE } = readEnv('meta');
const log = openLog('meta');
const operations = metaOperations(DEMO_PAGE);

export const handler = httpFunction(clock, log, operations, 'streaming');
export const buffered = httpFunction(clock, log, operations, 'buffered');
