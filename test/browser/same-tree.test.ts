import { isDeepStrictEqual } from 'node:util';
import { type AnyNode, isTag, isText } from 'domhandler';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { parseHtml } from '../../shared/html/parse-html.ts';
import { templateContents } from '../../shared/html/tree.ts';
import { extract } from '../../shared/output/extract.ts';
import { brokenHtml } from '../support/life/broken-html.ts';
import { unguardedBrowser } from '../support/browser/unguarded-browser.ts';

type Tree = string | { name: string; attributes: Record<string, string>; children: Tree[] };
type Seen = { tree: Tree[]; css: string[][]; xpath: string[][] };

const NAMES = 'p div span b i a li td tr table th u svg title h1 em'.split(' ');
const CSS = NAMES.flatMap((name) => [
  name,
  `${name} *`,
  `${name} > *`,
  `${name} + *`,
  `${name} ~ b`,
  `${name}:first-child`,
  `${name}:nth-of-type(2)`,
  `${name}:last-child`,
  `${name}:not([class])`,
  `:is(${name}, i):empty`,
  `${name}.Two`,
  `body ${name}:only-child`,
]);
const XPATH = NAMES.flatMap((name) => [
  `//${name}`,
  `//${name}/*[1]`,
  `//${name}[2]`,
  `//*[${name}]`,
  `//${name}/ancestor::*`,
  `//${name}/following-sibling::*[1]`,
  `//${name}[contains(., 'text')]`,
]);

/** What a browser has made of a document, and where selectors lead in it: the places of elements. */
const LOOK = /* js */ `(css, xpath) => {
  const treeOf = (node) => node.nodeType === 3 ? node.data : node.nodeType === 1 ? {
    name: node.localName,
    attributes: Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value])),
    children: [...(node.localName === 'template' ? node.content ?? node : node).childNodes].map(treeOf).filter((each) => each !== undefined),
  } : undefined;
  const all = [...document.querySelectorAll('*')];
  const places = (found) => found.map((element) => String(all.indexOf(element)));
  const evaluated = (path) => {
    const result = document.evaluate(path, document, null, 7, null);
    return Array.from({ length: result.snapshotLength }, (_, index) => result.snapshotItem(index));
  };
  return {
    tree: [...document.childNodes].map(treeOf).filter((each) => each !== undefined),
    css: css.map((selector) => places([...document.querySelectorAll(selector)])),
    xpath: xpath.map((path) => places(evaluated(path))),
  };
}`;

let browser: Awaited<ReturnType<typeof unguardedBrowser>>;
beforeAll(async () => {
  browser = await unguardedBrowser(await unpackChromium());
});
afterAll(() => browser.close());

/** Documents that the parser reads unlike Chromium: foster parents of templates, and `template` in SVG. */
const MAX_OTHER = 0.01;

test('broken documents have the tree that Chromium makes of them, and selectors find the same in it', async () => {
  const page = await browser.newPage();
  const count = inject('extent') === 'all' ? 2_000 : 40;
  const other: string[] = [];
  for (const html of Array.from({ length: count }, (_, index) => brokenHtml(30 + index))) {
    const address = `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString('base64')}`;
    await page.goto(address, { waitUntil: 'domcontentloaded' });
    const seen = await page.evaluate(`(${LOOK})(${JSON.stringify(CSS)}, ${JSON.stringify(XPATH)})`);
    if (!isDeepStrictEqual(ours(html), seen)) other.push(html);
  }
  expect(other).toHaveLength(Math.min(other.length, Math.floor(count * MAX_OTHER)));
});

function ours(html: string): Seen {
  const document = parseHtml(html, { isRendered: true });
  const found = (selectors: readonly string[]) => {
    const rules = Object.fromEntries(
      selectors.map((selector, index) => [index, { selector, type: 'list' as const, output: '@place' }]),
    );
    return Object.values(extract(document, rules, () => undefined).extract) as string[][];
  };
  const tree = document.children.map(treeOf).filter((each) => each !== undefined);
  let place = 0;
  const mark = (node: AnyNode) => {
    if (isTag(node)) node.attribs.place = String(place++);
    if ('children' in node) node.children.forEach(mark);
  };
  document.children.forEach(mark);
  return { tree, css: found(CSS), xpath: found(XPATH) };
}

function treeOf(node: AnyNode): Tree | undefined {
  if (isText(node)) return node.data;
  if (!isTag(node)) return undefined;
  const { children } = templateContents.get(node) ?? node;
  return {
    name: node.name,
    attributes: { ...node.attribs },
    children: children.map(treeOf).filter((each) => each !== undefined),
  };
}
