import { describe, expect, test } from 'vitest';
import { judge } from '../../shared/domain/scrape/verdict/judge.ts';
import { converted, markdownOf, textOf } from '../support/world/converted.ts';

const card = (inner: string) => `<x-card><template shadowrootmode="open">${inner}</template>`;

test.each([
  ['stands in the place of its host', `${card('<h2>a</h2><slot></slot><p>c')}<p>b</x-card>`, 'a\n\nb\n\nc'],
  ['shows what slots fall back to', `${card('<slot>a</slot><slot name="x">b</slot>')}</x-card>`, 'ab'],
  [
    'has what is slotted by name, in the order of its slots',
    `${card('<slot name="two"></slot><slot name="one"></slot>')}<p slot="one">a</p><p slot="two">b</p></x-card>`,
    'b\n\na',
  ],
  ['hides what has no slot', `${card('<p>a</p>')}<p>b</p></x-card>`, 'a'],
  ['may be closed', '<div><template shadowrootmode="closed">a</template></div>', 'a'],
  [
    'passes on what it is given',
    `${card(`${card('<b><slot></slot></b>')}<slot></slot></x-card>`)}a</x-card>`,
    'a',
  ],
  [
    'is none in an element that cannot have one',
    '<ul><template shadowrootmode="open">a</template><li>b</ul>',
    '- b',
  ],
  [
    'is none in a template',
    '<template><div><template shadowrootmode="open">a</template></div></template>b',
    'b',
  ],
])('a declared shadow root: %s', (_, html, text) => expect(textOf(html)).toBe(text));

const list = `<x-list><template shadowrootmode="open"><ul><slot></slot></ul><i>shadow</i></template><x-item>a</x-item><x-item>b</x-item></x-list>`;
test.each([
  ['x-list > x-item', ['a', 'b']],
  ['x-item:first-child', ['a']],
  ['x-item + x-item', ['b']],
  ['x-list i', ['shadow']],
  ['//x-list/x-item[2]', ['b']],
  ['//i', ['shadow']],
])('a declared shadow root is found by %s, as the page itself sees it', (selector, values) => {
  const rules = { found: { selector, type: 'list' as const } };
  expect(converted(list, { outputs: ['extract'], rules }).extract?.['found']).toEqual(values);
});

test('a declared shadow root has links', () => {
  const html = `${card('<a href="/x">in the shadow</a>')}</x-card>`;
  expect(converted(html, { outputs: ['links'] }).links?.map(({ text }) => text)).toEqual(['in the shadow']);
});

describe('what a page shows without scripts', () => {
  const html = '<p>a</p><noscript><p>b</p><a href="/c">c</a></noscript>';
  test('is part of the whole page if no script has run', () => {
    expect(textOf(html)).toBe('a\n\nb\n\nc');
    expect(converted(html, { outputs: ['links'] }).links).toHaveLength(1);
  });

  test('is not if scripts have run', () => {
    const rendered = { isRendered: true, scope: 'full' as const };
    expect(converted(html, { outputs: ['text'], ...rendered }).text).toBe('a\n');
    expect(converted(html, { outputs: ['links'], ...rendered }).links).toEqual([]);
  });
});

test.each(['javascript:void(0)', 'data:text/html,x', 'mailto:a@b.c'])(
  'a base of %s counts as none',
  (base) => {
    const { links } = converted(`<base href="${base}"><a href="/next">n</a>`, { outputs: ['links'] });
    expect(links?.map(({ url }) => url)).toEqual(['https://example.com/next']);
  },
);

const of = (html: string) =>
  judge(
    { status: 200, url: 'https://e.com/', redirects: 0, contentType: 'text/html', body: Buffer.from(html) },
    'https://e.com/',
  ).kind;
test.each([
  ['in a head that nothing ends', '<!doctype html><head><title>t</title><h1>Hello</h1><p>World'],
  ['in shadow roots alone', `<title>t</title>${card('<p>Hello World</p>')}</x-card>`],
  ['after a script that holds a comment', '<script><!-- "<script>" --></script><p>Hello World'],
])('the verdict of a page whose words are %s is that it is a page', (_, html) =>
  expect(of(html)).toBe('page'),
);

test.each([
  ['punctuation moves out of marks', '<p><b>具体：</b>与<b>「重点」</b>内', '**具体**：与「**重点**」内'],
  [
    'marks beside each other are one',
    '<p><b>a.b</b><b>c</b> <kbd>Ctrl</kbd><kbd>C</kbd>',
    '**a.bc** `CtrlC`',
  ],
  ['an exclamation mark before a link', '<p>Wow!<a href="/x">a</a>', 'Wow\\![a](https://example.com/x)'],
  ['a line of tildes', '<p>~~~~', '\\~\\~\\~\\~'],
  ['names of entities', '<p>&amp;copy; R&amp;D', '\\&copy; R&D'],
  [
    'a link over two paragraphs',
    '<p><a href="/x">a<br><br>b</a>',
    '[a](https://example.com/x)\n\n[b](https://example.com/x)',
  ],
  [
    'an image in a block in a link',
    '<a href="/x"><div><img src="/s.png" alt="a"></div></a>',
    '[![a](https://example.com/s.png)](https://example.com/x)',
  ],
  ['text in a list beside its items', '<ul>Bring:<li>a</ul>', '- Bring:\n- a'],
  [
    'a table in a cell',
    '<table><tr><th>a<th>b<tr><td><table><tr><td>x<td>y</table><td>z</table>',
    '| a | b |\n| --- | --- |\n| x y | z |',
  ],
  [
    'a cell to the end of its group of rows',
    '<table><tr><th>a<th>b</tr><tbody><tr><td rowspan=0>x<td>1<tr><td>2<tbody><tr><td>y<td>3</table>',
    '| a | b |\n| --- | --- |\n| x | 1 |\n|  | 2 |\n| y | 3 |',
  ],
  ['commas in a set of images', '<img alt=a srcset="/a.jpg, /b.jpg 2x">', '![a](https://example.com/a.jpg)'],
  ['sums', '<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover></math>', '$\\sum_{i}^{n}$'],
])('Markdown that reads as the page does: %s', (_, html, markdown) =>
  expect(markdownOf(html)).toBe(markdown),
);

test.each([
  [
    'Chroma',
    '<span class="line"><span class="ln">1</span><span class="cl">a\n</span></span><span class="line"><span class="ln">2</span><span class="cl">b\n</span></span>',
  ],
  ['a highlighter without a name', '<i>1</i> a\n<i>2</i> b\n'],
])('code has no line numbers of %s', (_, code) =>
  expect(markdownOf(`<pre><code>${code}</code></pre>`)?.replace(/^ /gm, '')).toBe('```\na\nb\n```'),
);

test('code of numbers alone keeps them', () =>
  expect(markdownOf('<pre><span class="x">1</span>\n<span class="x">2</span></pre>')).toBe('```\n1\n2\n```'));

test('a section of prose is content under any heading, and its cards are not', () => {
  const prose = Array.from(
    { length: 8 },
    (_, n) => `Others said thing ${n} about the matter in their own words.`,
  );
  const paper = `<article><h1>Paper</h1>${'<p>We walked along the river until the evening came.</p>'.repeat(30)}`;
  const section = (inner: string) => `${paper}<section><h2>Related Work</h2>${inner}</section></article>`;
  expect(textOf(section(`<p>${prose.join(' ')}</p>`), 'auto')).toContain('Others said thing 7');
  const cards = prose.map((each) => `<p><a href="/${each.length}">${each}</a></p>`).join('');
  expect(textOf(section(cards), 'auto')).not.toContain('Others said thing 7');
});

test('a refrain is repeated as on the page, and the coverage of the whole page is 1', () => {
  const line = `<p>${'We walked along the river until the evening came and the lights went on one by one '.repeat(2)}</p>`;
  const { text, content } = converted(`${line}<p>a</p>${line}`, { outputs: ['text'], scope: 'full' });
  expect(text?.split('We walked')).toHaveLength(5);
  expect(content?.coverage).toBe(1);
});

test.each([
  ['an object without anything to load shows its content', '<object><p>a</object>', 'a'],
  ['an object with something to load does not', '<object data="a.pdf"><p>a</object>b', 'b'],
  ['an applet is an element like any other', '<applet><p>a</applet>', 'a'],
  ['noembed is never shown', '<noembed>a</noembed>b', 'b'],
  ['noframes is shown only by a page of frames', '<noframes>a</noframes>b', 'b'],
  ['a page of frames shows its noframes', '<frameset><frame></frameset><noframes><p>a</noframes>', 'a'],
  ['a drawing shows HTML', '<svg><title>x</title><g><foreignObject><p>a</foreignObject></g></svg>', 'a'],
  ['a drawing shows no other words', '<svg><title>x</title><text>y</text></svg>a', 'a'],
  [
    'a formula is not said twice',
    '<math><mi>x</mi><annotation-xml encoding="text/html"><p>y</p></annotation-xml></math>',
    '$x$',
  ],
  ['a ruby without a reading has no parentheses', '<ruby>a<rt></rt>b<rt>c</ruby>', 'ab(c)'],
])('elements that stand for something else: %s', (_, html, markdown) =>
  expect(markdownOf(html)).toBe(markdown),
);

test('a page has a coverage of 1 only if all of its words are there', () => {
  const words = Array.from({ length: 500 }, (_, index) => `word${index}.`).join(' ');
  const page = (more: string) =>
    converted(`<nav>${more}</nav><main><p>${words}</main>`, { outputs: ['text'] });
  expect(page('menu').content?.coverage).toBe(0.99);
  expect(page('').content?.coverage).toBe(1);
});
