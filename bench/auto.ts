/**
 * `npm run bench:auto -- --corpus FOLDER`: `mode: auto` beside the best fixed setting, over pages that
 * scripts complete, pages without scripts but with traces of bot walls, and the corpus of `bench:extraction`,
 * if its folder is given; with a rule that is required; on walls; and the time of a static page beside a
 * plain scrape. `--only timer` takes pages whose set or name contains the word. Fails if a goal is missed.
 */
import { parseArgs } from 'node:util';
import { allWalls } from '../test/fixtures/walls/all-walls.ts';
import { dresses } from '../test/fixtures/walls/dress.ts';
import { targetServer } from '../test/support/servers/target-server.ts';
import { autoCases, type Case, REQUIRED } from './auto-cases.ts';
import { rounded } from './compare.ts';
import { assertMet, atMost } from './goals.ts';
import { interleaved, median } from './measure.ts';
import { openStack } from './stack.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, corpus: { type: 'string' } },
});
const TIMED_ROUNDS = 300;

type Answer = { parts: number; credits: number; tried: string };
/** `best` is absent where no setting has anything of the page. */
type Row = { set: string; name: string; best: Answer | undefined; auto: Answer };
type Known = Row & { best: Answer };

await using pages = await autoCases(values.corpus);
/** Each shape of a wall, as one of the sites has it. Whatever its scripts request, the wall stands. */
const walls = allWalls.filter((_, index) => index % dresses.length === 0);
let [shown] = walls;
await using walled = await targetServer((_, response) => {
  const { html: body = '', status = 200, headers = {} } = shown ?? {};
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(body);
});
await using stack = await openStack({ egressAllow: [...pages.hosts, walled.host] });

const isChosen = ({ set, name }: Pick<Case, 'set' | 'name'>) => `${set} ${name}`.includes(values.only);
const rows: Row[] = [];
for (const each of pages.cases.filter(isChosen)) rows.push(await compared(each));
const dear: string[] = [];
for (const wall of walls) {
  const name = `${wall.by ?? 'unnamed'} wall`;
  if (!isChosen({ set: 'walls', name })) continue;
  shown = wall;
  const request = { url: walled.origin };
  // Any response of 200 is what a fixed setting has.
  const { best, auto } = await compared({ set: 'walls', name, request, parts: 1, partsIn: () => 1 });
  if (auto.credits > (best?.credits ?? 0)) dear.push(`${name}: ${auto.tried}`);
}
console.table(dear);
const known = rows.filter((row): row is Known => row.best !== undefined);
const isRight = ({ best, auto }: Known) => auto.parts >= best.parts;
const isStatic = ({ best }: Known) => best.credits === 1;
const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
console.table(
  known
    .filter((row) => !isRight(row) || row.auto.credits > row.best.credits)
    .map(({ set, name, best, auto }) => ({
      ...{ set, name, tried: auto.tried, parts: `${auto.parts} of ${best.parts}` },
      credits: `${auto.credits} of ${best.credits}`,
    })),
);
const sets = [...new Set(known.map(({ set }) => set))];
console.table(
  Object.fromEntries(sets.map((each) => [each, figures(known.filter(({ set }) => set === each))])),
);
console.log({ pages_that_no_setting_has: rows.length - known.length });
const required = figures(known.filter(({ set }) => set === REQUIRED));
const others = figures(known.filter(({ set }) => set !== REQUIRED));
const goals = [
  { name: 'pages on which auto returns what the best setting does', value: others.right, atLeast: 0.98 },
  { name: 'the same with a required rule', value: required.right, atLeast: 1 },
  atMost(1.15, "its credits, to the best setting's", others.credits),
  atMost(1.15, 'the same with a required rule', required.credits),
  atMost(0, 'walls that cost more than with the best setting', dear.length),
  atMost(0.01, 'static pages that it renders', others.climbed),
  ...(values.only === ''
    ? [atMost(1.1, 'p50 of a static page, to that of a plain scrape', await timed())]
    : []),
];
// Of the chosen pages, none may be of a set.
assertMet(goals.filter(({ value }) => !Number.isNaN(value)));

function figures(some: readonly Known[]) {
  return {
    pages: some.length,
    right: rounded(mean(some.map((row) => Number(isRight(row))))),
    credits: rounded(mean(some.map(({ auto }) => auto.credits)) / mean(some.map(({ best }) => best.credits))),
    static: some.filter(isStatic).length,
    climbed: rounded(mean(some.filter(isStatic).map(({ auto }) => Number(auto.credits > 1)))),
  };
}

/** Each organization is new, so none remembers the host. Where the plain page has all, none has more. */
async function compared({ set, name, request, parts, partsIn }: Case): Promise<Row> {
  const { client } = await stack.organization({ overrides: { credits: 1_000, rpm: 1_000 } });
  const ask = async (how: object): Promise<Answer> => {
    const response = await client.scrape({ ...request, ...how });
    const text = await response.text();
    const credits = Number(response.headers.get('X-Credits-Used'));
    const tried = response.headers.get('X-Mode-Tried') ?? '';
    return { parts: response.ok ? partsIn(text) : 0, credits, tried };
  };
  const plain = await ask({});
  const rendered = plain.parts < parts ? await ask({ render_js: true }) : plain;
  const best = rendered.parts > plain.parts ? rendered : plain;
  return { set, name, best: best.parts > 0 ? best : undefined, auto: await ask({ mode: 'auto' }) };
}

async function timed(): Promise<number> {
  const url = pages.staticUrl;
  const { client } = await stack.organization({ overrides: { credits: 1e6, rpm: 1e6 } });
  const scrape = (how: object) => async () => {
    const response = await client.scrape({ url, ...how });
    await response.arrayBuffer();
  };
  const [auto = [], plain = []] = await interleaved(
    [scrape({ mode: 'auto' }), scrape({})],
    TIMED_ROUNDS,
    100,
  );
  console.log({ auto_ms: rounded(median(auto)), plain_ms: rounded(median(plain)) });
  return median(auto) / median(plain);
}
