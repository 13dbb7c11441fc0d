import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { scraperOperations } from './operations.ts';

const config = readEnv('scraper');
const { log, basics } = compose.basicsOf('scraper', config);
const fx = {
  ...basics,
  ...compose.queuesOf(config),
  ...compose.storeOf(config),
  ...compose.pagesOf(config),
  webOrigin: config.DASHBOARD_URL && new URL(config.DASHBOARD_URL).origin,
};
const crawler = { robotsToken: config.ROBOTS_TOKEN, mayIgnoreRobots: config.ROBOTS_IGNORE !== undefined };
const operations = scraperOperations(fx, compose.targetsOf(config), crawler);

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
