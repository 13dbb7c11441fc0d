import { selectAll, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHtml } from '../../shared/html/parse-html.ts';
import { cssOver } from '../../shared/output/select/css.ts';
import { pageIndex, placeOf } from '../../shared/output/select/page-index.ts';
import { libraryOver } from '../../shared/output/select/xpath-library.ts';
import type { Node } from '../../shared/output/select/xpath-values.ts';
import { xpathOver } from '../../shared/output/select/xpath.ts';
import { findAll } from '../../shared/html/tree.ts';
import { extent } from '../support/world/extent.ts';

const RUNS = extent(300, 10_000);
const pick = (...values: readonly string[]) => fc.constantFrom(...values);
const tag = pick('div', 'p', 'a', 'span');
const value = pick('one', 'two', 'one two', 'three');

const { html } = fc.letrec<{ html: string; element: string }>((tie) => ({
  html: fc
    .array(
      fc.oneof(
        { maxDepth: 4 },
        { weight: 1, arbitrary: pick('one', 'two ', ' 3', '<!--c-->', '<br>') },
        { weight: 4, arbitrary: tie('element') },
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join('')),
  element: fc
    .tuple(tag, fc.option(value), fc.option(value), fc.option(pick('i', 'j', 'k')), tie('html'))
    .map(([name, classes, data, id, inner]) => {
      const attribute = (key: string, text: string | null) => (text === null ? '' : ` ${key}="${text}"`);
      const all = attribute('class', classes) + attribute('data-x', data) + attribute('id', id);
      return `<${name}${all}>${inner}</${name}>`;
    }),
}));

const axis = pick(
  '',
  '',
  '',
  'child::',
  'descendant::',
  'descendant-or-self::',
  'self::',
  'parent::',
  'ancestor::',
  'ancestor-or-self::',
  'following-sibling::',
  'preceding-sibling::',
  'following::',
  'preceding::',
);
const nodeTest = pick('div', 'p', 'a', 'SPAN', '*', '*', 'node()', 'text()', 'comment()');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(axis, nodeTest).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: pick('.', '..', '@class', '@data-x', '@id') },
);
const condition = pick(
  '1',
  '1',
  'true()',
  '@class',
  '2',
  'last()',
  'position() > 1',
  'position() = last()',
  "@class='one'",
  "@id='i'",
  "@id = 'j'",
  "@id='i' and a",
  "@class = 'one two'",
  '@id',
  'a',
  "contains(@class, 'two')",
  "starts-with(@data-x, 'o')",
  "text()='one'",
  "contains(., 'two')",
  'not(@class)',
  'count(*) > 1',
  "normalize-space()='one'",
  "@class='one' and @id",
  "@class='one' or a",
  '@class != @data-x',
  'string-length(@class) > 3',
  'string-length(@class)',
  "name()='p'",
  'p/@id',
  '(a | p)[1]',
  'true()',
  './/a',
  "substring-before(@class, ' ')='one'",
  "translate(@class, 'o', '0')='0ne'",
  'number(.) = 3',
  '. = 3',
  '@id > 1',
  "concat(@id, '-') = 'i-'",
  '2 - 1',
  '-1',
  'sum(a) >= 0',
  'floor(1.5)',
  "id('i')",
);
const path = fc
  .tuple(
    pick('/', '//', '//', '//', './/', ''),
    fc.array(fc.tuple(step, fc.array(condition, { maxLength: 2 })), { minLength: 1, maxLength: 3 }),
    fc.array(pick('/', '/', '//'), { minLength: 4, maxLength: 4 }),
  )
  .map(([start, steps, joins]) => {
    const written = steps.map(([name, conditions], index) => {
      const isShort = name.startsWith('.');
      const all = isShort ? '' : conditions.map((each) => `[${each}]`).join('');
      return `${index === 0 ? start : (joins[index] ?? '/')}${name}${all}`;
    });
    return written.join('');
  });
const expression = fc.oneof(
  { weight: 8, arbitrary: path },
  { weight: 1, arbitrary: fc.tuple(path, condition).map(([one, at]) => `(${one})[${at}]`) },
  { weight: 1, arbitrary: fc.tuple(path, path).map((both) => both.join(' | ')) },
  { weight: 1, arbitrary: path.map((one) => `count(${one})`) },
  { weight: 1, arbitrary: path.map((one) => `string(${one})`) },
  {
    weight: 1,
    arbitrary: fc.tuple(path, path, pick('=', '!=', '<', '>=')).map(([a, b, sign]) => `${a} ${sign} ${b}`),
  },
);

const key = (node: Node) => ('owner' in node ? `${placeOf(node.owner)}@${node.name}` : placeOf(node));
const outcome = <T>(evaluate: () => T) => {
  try {
    return evaluate();
  } catch {
    return 'a fault';
  }
};

test('XPath over the index of a page finds what the package finds', () => {
  fc.assert(
    fc.property(html, expression, fc.nat(), (source, xpath, at) => {
      const document = parseHtml(source);
      const elements = findAll(document, () => true);
      const context = at % 3 === 0 ? elements[at % elements.length] : undefined;
      const over = (find: (expression: string, context: Element | undefined) => Node[] | string) => {
        const found = outcome(() => find(xpath, context));
        return typeof found === 'string' ? found : found.map(key);
      };
      const planned = over(xpathOver(() => pageIndex(document)));
      expect(planned).toEqual(over(libraryOver(document)));
    }),
    {
      numRuns: RUNS,
      examples: ['//@id | //@class', '//@class | .//@id', '//p | //p/@id', '//@id | //p'].map((xpath) => [
        '<p class="one" id="i">one</p>',
        xpath,
        1,
      ]),
    },
  );
});

const compound = fc
  .tuple(
    pick('div', 'p', 'A', '*', ''),
    fc.array(
      pick(
        '.one',
        '.two',
        '#i',
        '#j',
        '[data-x]',
        '[class="one two"]',
        ':first-child',
        ':not(.one)',
        ':has(a)',
        ':nth-child(2)',
        '[id=i i]',
        '[class~=two]',
        ':is(.one, #j)',
        ':contains("one")',
        ':empty',
      ),
      { maxLength: 2 },
    ),
  )
  .map(([name, rest]) => `${name}${rest.join('')}` || '*');
const selector = fc
  .tuple(
    pick('', '', '', '> ', ':scope > '),
    fc.array(compound, { minLength: 1, maxLength: 3 }),
    fc.array(pick(' ', ' > ', ' + ', ' ~ '), { minLength: 2, maxLength: 2 }),
    fc.option(compound),
  )
  .map(([start, parts, joins, other]) => {
    const joined = parts.map((part, at) => (at === 0 ? part : `${joins[at - 1]}${part}`)).join('');
    return `${start}${joined}${other === null ? '' : `, ${other}`}`;
  });

test('CSS over the index of a page finds what the package finds', () => {
  fc.assert(
    fc.property(html, selector, fc.nat(), (source, css, at) => {
      const document = parseHtml(source);
      const elements = findAll(document, () => true);
      const context = at % 2 === 0 ? (elements[at % elements.length] ?? document) : document;
      const find = cssOver(() => pageIndex(document));
      const one = selectOne<AnyNode, Element>(css, context);
      expect(find(css, context, true).map(placeOf)).toEqual(
        selectAll<AnyNode, Element>(css, context).map(placeOf),
      );
      expect(find(css, context, false).map(placeOf)).toEqual(one ? [placeOf(one)] : []);
    }),
    {
      numRuns: RUNS,
      examples: ['#i + a', '#i ~ a', '#i ~ p > a', '#i a', '#i > a', 'p #i ~ a'].map((css) => [
        '<p><b id="i"><a></a></b><a></a></p><p id="i"></p><a></a><p><a></a></p>',
        css,
        1,
      ]),
    },
  );
});
