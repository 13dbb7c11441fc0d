import { clock } from '../../shared/adapters/clock.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { openLog } from '../../shared/observe/log.ts';
import { metaOperations } from './operations.ts';

const { API_URL: apiUrl, DEMO_PAGE } = readEnv('meta');
const fx = { ...clock, apiUrl };
const log = openLog('meta');
const operations = metaOperations(fx, DEMO_PAGE);

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
