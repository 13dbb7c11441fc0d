/** Serves the shops of `bench/crawl.ts` on a port. Prints a line, and ends with its parent. */
import { crawledWeb } from '../../test/support/servers/crawled-web.ts';
import { shopsOf } from '../shops-of.ts';

const [port = 0, pages = 0] = process.argv.slice(2).map(Number);
await crawledWeb(shopsOf(port, pages));
console.log('ready');
process.stdin.resume().on('close', () => process.exit());
