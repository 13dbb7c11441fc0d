/** Pages are served over http, and the system's authorities would be parsed for every scrape. */
import { trustAuthorities } from '../shared/config.ts';

trustAuthorities(new URL('../test/fixtures/tls', import.meta.url));
