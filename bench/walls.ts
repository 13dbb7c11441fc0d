import { glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Page } from '../shared/contract/scrape/page.ts';
import { judge } from '../shared/domain/scrape/verdict/judge.ts';
import { allWalls } from '../test/fixtures/walls/all-walls.ts';
import { cleanPages, TRACES } from '../test/fixtures/walls/clean-pages.ts';
import type { Response } from '../test/fixtures/walls/dress.ts';

/** How many walls are caught, by maker, and how many pages are taken for one: npm run bench:walls */
const { values } = parseArgs({ options: { corpus: { type: 'string' }, missed: { type: 'boolean' } } });
const REQUESTED = 'https://www.example.com/item';

const makers = new Map<string, { walls: number; caught: number; named: number }>();
for (const { by = 'unknown', ...wall } of allWalls) {
  const row = makers.get(by) ?? { walls: 0, caught: 0, named: 0 };
  const verdict = judged(wall);
  row.walls += 1;
  row.caught += Number(verdict.kind === 'bot_wall');
  row.named += Number(verdict.kind === 'bot_wall' && (verdict.by ?? 'unknown') === by);
  makers.set(by, row);
  if (values.missed && verdict.kind !== 'bot_wall')
    console.log(`missed, of ${by}: ${wall.html.slice(0, 200)}`);
}
console.table(Object.fromEntries(makers));

const pages = new Map<string, { pages: number; false: number }>();
for await (const [source, page] of clean()) {
  const row = pages.get(source) ?? { pages: 0, false: 0 };
  const { kind, by } = judged(page);
  row.pages += 1;
  row.false += Number(kind === 'bot_wall');
  pages.set(source, row);
  if (kind === 'bot_wall') console.log(`false, as ${by}, of ${source}: ${page.html.slice(0, 300)}`);
}
console.table(Object.fromEntries(pages));

const total = (rows: Iterable<Record<string, number>>, key: string) =>
  [...rows].reduce((sum, row) => sum + (row[key] ?? 0), 0);
const [walls, caught] = [total(makers.values(), 'walls'), total(makers.values(), 'caught')];
const [all, wrong] = [total(pages.values(), 'pages'), total(pages.values(), 'false')];
console.log(
  JSON.stringify({
    makers: makers.size,
    walls,
    caught: share(caught, walls),
    pages: all,
    false: share(wrong, all),
  }),
);
process.exitCode = caught / walls >= 0.95 && wrong / all <= 0.005 ? 0 : 1;

function judged({ html, ...response }: Response) {
  const head = { status: 200, url: REQUESTED, redirects: 0, contentType: 'text/html; charset=utf-8' };
  const page: Page = { ...head, ...response, body: Buffer.from(html) };
  return judge(page, page.url);
}

async function* clean(): AsyncGenerator<readonly [source: string, page: Response]> {
  for (const page of cleanPages) yield ['written for this', page];
  yield* readmes();
  if (values.corpus) yield* corpus(values.corpus);
}

/** Readmes of packages, as pages of a site that one of the makers protects. */
async function* readmes(): AsyncGenerator<readonly [source: string, page: Response]> {
  let index = 0;
  for await (const path of glob('node_modules/**/README.md')) {
    const [, mark = '', headers = {}] = TRACES[index % TRACES.length] ?? [];
    const text = await readFile(path, 'utf8');
    const title = /^#\s*(.{1,80})/m.exec(text)?.[1] ?? path;
    const html = `<!DOCTYPE html><html><head><title>${escaped(title)}</title></head><body>${mark}<main>${rendered(text)}</main></body></html>`;
    yield [text.split(/\s+/).length < 150 ? 'readmes, short' : 'readmes', { html, headers }];
    index += 1;
  }
}

/** Paragraphs and code: enough for a judgement of words and marks. */
function rendered(markdown: string): string {
  return markdown
    .split(/\n{2,}/)
    .map((part) => (part.startsWith('```') ? `<pre>${escaped(part)}</pre>` : `<p>${escaped(part)}</p>`))
    .join('\n');
}

/** The pages of the Web Content eXtraction Benchmark: arXiv 2605.21097. */
async function* corpus(folder: string): AsyncGenerator<readonly [source: string, page: Response]> {
  for (const name of await readdir(join(folder, 'html')))
    yield ['benchmark', { html: gunzipSync(await readFile(join(folder, 'html', name))).toString() }];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function share(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 10_000;
}
