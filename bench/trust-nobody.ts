/** Over http nobody needs to be trusted, and the system's own list would be parsed for every scrape. */
import { trustAuthorities } from '../shared/config.ts';

trustAuthorities(new URL('../test/fixtures/tls', import.meta.url));
