import { clock } from '../../shared/adapters/clock.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { openLog } from '../../shared/observe/log.ts';
import { metaOperations } from './operations.ts';

const log = openLog('meta');

export const handler = httpFunction(clock, log, metaOperations, 'streaming');
export const buffered = httpFunction(clock, log, metaOperations, 'buffered');
