import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { crawlOperations } from './operations.ts';

const config = readEnv('crawls');
const { log, basics } = compose.basicsOf('crawls', config);
const fx = { ...basics, ...compose.workOf(config), ...compose.resultsOf(config) };
const mayIgnoreRobots = config.ROBOTS_IGNORE !== undefined;
const operations = crawlOperations(fx, { ...compose.targetsOf(config), mayIgnoreRobots });

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
