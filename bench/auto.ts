/**
 * `npm run bench:auto`: `mode: auto` beside the best fixed setting, over the settled corpus, clean pages with
 * the traces of bot walls, and pages without scripts; walls that cost more with it; and the time of a static
 * page beside a plain scrape. `-- --only timer` takes pages whose name contains the word. Fails if a goal is
 * missed.
 */
import { parseArgs } from 'node:util';
import { allWalls } from '../test/fixtures/walls/all-walls.ts';
import { dresses } from '../test/fixtures/walls/dress.ts';
import { cleanPages } from '../test/fixtures/walls/clean-pages.ts';
import { pathOf, settledSite } from '../test/fixtures/settled/site.ts';
import { html, renderSite } from '../test/support/servers/render-site.ts';
import { targetServer } from '../test/support/servers/target-server.ts';
import { rounded } from './compare.ts';
import { assertMet, atMost } from './goals.ts';
import { interleaved, median } from './measure.ts';
import { openStack } from './stack.ts';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const TIMED_ROUNDS = 300;

type Case = { name: string; url: string; holds: readonly string[] };
type Answer = { isRight: boolean; credits: number; tried: string };
/** `best` is absent where no setting has the page. */
type Row = { name: string; best: number | undefined; auto: Answer };

const texts = cleanPages.flatMap(({ what, status = 200, html: body }, index) =>
  status === 200 ? [{ path: `/clean/${index}`, what, body }] : [],
);
await using settled = await settledSite();
await using clean = await renderSite(
  Object.fromEntries(texts.map(({ path, body }) => [path, (_, response) => html(response, body)])),
);
/** Each shape of a wall, as one of the sites has it. Whatever its scripts request, the wall stands. */
const walls = allWalls.filter((_, index) => index % dresses.length === 0);
let [shown] = walls;
await using walled = await targetServer((_, response) => {
  const { html: body = '', status = 200, headers = {} } = shown ?? {};
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(body);
});
await using stack = await openStack({ egressAllow: [...settled.hosts, clean.host, walled.host] });

const late: Case[] = settled.pages
  .filter(({ page, isUnreached }) => typeof page === 'string' && !isUnreached)
  .map((page) => ({ name: page.name, url: settled.origin + pathOf(page), holds: page.holds }));
const statics: Case[] = texts.map(({ path, what, body }) => ({
  name: what,
  url: clean.origin + path,
  holds: [body.slice(body.indexOf('<body>'))],
}));
const rows: Row[] = [];
for (const each of [...late, ...statics].filter(({ name }) => name.includes(values.only)))
  rows.push(await compared(each));
const dear: string[] = [];
for (const wall of walls) {
  const name = `${wall.by ?? 'unnamed'} wall`;
  if (!name.includes(values.only)) continue;
  shown = wall;
  const { best = 0, auto } = await compared({ name, url: walled.origin, holds: [] });
  if (auto.credits > best) dear.push(`${name}: ${auto.tried}`);
}
console.table(dear);
const known = rows.filter(({ best }) => best !== undefined);
const isStatic = ({ best }: Row) => best === 1;
const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
console.table(rows.filter(({ best, auto }) => best !== undefined && (!auto.isRight || auto.credits > best)));
const [auto = [], plain = []] = await timed();
console.log({ pages: known.length, auto_ms: rounded(median(auto)), plain_ms: rounded(median(plain)) });
const falseClimbs = known.filter((row) => isStatic(row) && row.auto.credits > 1).length;
assertMet([
  {
    name: 'pages on which auto returns what the best setting does',
    value: mean(known.map(({ auto: it }) => Number(it.isRight))),
    atLeast: 0.98,
  },
  atMost(
    1.15,
    "its credits, to the best setting's",
    mean(known.map(({ auto: it }) => it.credits)) / mean(known.map(({ best = 0 }) => best)),
  ),
  atMost(0, 'walls that cost more than with the best setting', dear.length),
  atMost(0.01, 'static pages that it renders', falseClimbs / known.filter(isStatic).length),
  atMost(1.1, 'p50 of a static page, to that of a plain scrape', median(auto) / median(plain)),
]);

/** Each organization is new, so none remembers the host. */
async function compared({ name, url, holds }: Case): Promise<Row> {
  const { client } = await stack.organization({ overrides: { credits: 1_000, rpm: 1_000 } });
  const ask = async (how: object): Promise<Answer> => {
    const response = await client.scrape({ url, ...how });
    const text = await response.text();
    const isRight = response.ok && holds.every((part) => text.includes(part));
    const credits = Number(response.headers.get('X-Credits-Used'));
    return { isRight, credits, tried: response.headers.get('X-Mode-Tried') ?? '' };
  };
  const settings = [await ask({}), await ask({ render_js: true })];
  return { name, best: settings.find(({ isRight }) => isRight)?.credits, auto: await ask({ mode: 'auto' }) };
}

function timed(): Promise<number[][]> {
  const [{ url } = { url: '' }] = statics;
  const client = stack.organization({ overrides: { credits: 1e6, rpm: 1e6 } });
  const scrape = (how: object) => async () => {
    const response = await (await client).client.scrape({ url, ...how });
    await response.arrayBuffer();
  };
  return interleaved([scrape({ mode: 'auto' }), scrape({})], TIMED_ROUNDS, 100);
}
