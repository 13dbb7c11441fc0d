import { createHash } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CrawlRequest, CrawlResult } from '../../../typescript/src/sitefetch.ts';
import { type Command, textOf } from '../command.ts';
import { countOf } from '../count-of.ts';
import { EXIT } from '../exit-code.ts';
import { progressOn } from '../progress.ts';
import { fieldsOf, SCRAPE_OPTIONS } from '../scrape-fields.ts';
import { argumentOf, urlOf } from '../url-of.ts';

export const crawl: Command = {
  usage: 'crawl URL',
  about: 'Crawls a site, and prints a line for each page or saves the pages.',
  options: {
    ...SCRAPE_OPTIONS,
    limit: { type: 'string', value: 'N', about: 'pages, at most; 100 if absent' },
    include: { type: 'string', multiple: true, value: 'GLOB', about: 'only URLs whose path matches' },
    exclude: { type: 'string', multiple: true, value: 'GLOB', about: 'no URLs whose path matches' },
    output: { type: 'string', short: 'o', value: 'FOLDER', about: 'save the pages, and results.ndjson' },
  },
  run: async (call) => {
    const client = await call.client();
    const { values } = call;
    const limit = countOf(call, 'limit');
    const { crawl_id: id } = await client.crawls.submit({
      url: urlOf(call),
      request: fieldsOf(call),
      ...(limit !== undefined && { limit }),
      ...(values['include'] !== undefined && { include: values['include'] }),
      ...(values['exclude'] !== undefined && { exclude: values['exclude'] }),
    } as CrawlRequest);
    call.err.write(`crawl ${id}\n`);
    const progress = progressOn(call);
    const folder = textOf(call, 'output');
    let pages = 0;
    for await (const result of client.crawls.results(id, folder === undefined ? {} : { include: 'body' })) {
      pages += 1;
      if (folder === undefined) call.out.write(`${JSON.stringify(result)}\n`);
      else await save(folder, result);
      progress.show(`${pages} pages, ${result.url ?? ''}`);
    }
    progress.end();
    const { counts, credits_used, stop_reason } = await client.crawls.wait(id);
    call.err.write(
      `${counts.page} pages of ${counts.discovered} URLs, ${counts.failed} failed, ${credits_used} credits, ${stop_reason}\n`,
    );
    return counts.page === 0 ? EXIT.target : EXIT.ok;
  },
};

export const crawlLedger: Command = {
  usage: 'crawl ledger ID',
  about: 'Prints what became of each URL of a crawl, as JSON lines.',
  options: { outcome: { type: 'string', value: 'OUTCOME', about: 'only URLs with this outcome' } },
  run: async (call) => {
    const client = await call.client();
    const outcome = textOf(call, 'outcome');
    const query = outcome === undefined ? {} : { outcome: outcome as 'failed' };
    for await (const line of client.crawls.urls(argumentOf(call, 'ID'), query))
      call.out.write(`${JSON.stringify(line)}\n`);
    return undefined;
  },
};

/** Writes the page under the folder of its host, and its line without the page into results.ndjson. */
async function save(folder: string, { body, body_encoding, ...line }: CrawlResult): Promise<void> {
  const bytes =
    body === undefined ? undefined : Buffer.from(body, body_encoding === 'base64' ? 'base64' : 'utf8');
  const file = bytes && fileNameOf(line.url ?? '', line.content_type ?? '');
  await mkdir(folder, { recursive: true });
  if (file !== undefined) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes ?? '');
  }
  await appendFile(join(folder, 'results.ndjson'), `${JSON.stringify({ ...line, file })}\n`);
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'image/png': 'png',
};
const MAX_SEGMENT = 100;

/**
 * A path below the folder, of one URL alone: of a URL, `.` and `..` are resolved, and what is escaped stays
 * escaped. A hash tells URLs apart that would share a name, or whose folder could be another one's file.
 */
function fileNameOf(address: string, contentType: string): string {
  const { protocol, host, pathname, search } = new URL(address);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const folders = segments.slice(0, -1);
  const needsHash =
    search !== '' ||
    pathname === '/index' ||
    pathname !== `/${segments.join('/')}` ||
    segments.some(({ length }) => length > MAX_SEGMENT) ||
    folders.some((folder) => FILE_NAME.test(folder));
  const short = segments.map((segment) => segment.slice(0, MAX_SEGMENT));
  const name = [...short.slice(0, -1).map((it) => it.replace(FILE_NAME, '$&-')), short.at(-1) ?? 'index'];
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 8);
  const type = contentType.split(';')[0]?.trim() ?? '';
  const site = protocol === 'https:' ? host : `${host}-http`;
  return `${site}/${name.join('/')}${needsHash ? `-${hash}` : ''}.${EXTENSIONS[type] ?? 'bin'}`;
}

const FILE_NAME = /\.(?:html|md|txt|json|pdf|png|bin)$/;
