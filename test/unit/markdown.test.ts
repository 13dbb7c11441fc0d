import { expect, test } from 'vitest';
import { markdownOf, textOf } from '../support/world/converted.ts';

const lines = (...all: string[]) => all.join('\n');

test.each([
  ['headings keep their levels', '<h1>A</h1><h3>B</h3>', '# A\n\n### B'],
  ['a heading over several lines is one line', '<h2>A<br>B <b>c</b></h2>', '## A B **c**'],
  ['the anchor of a heading is left out', '<h2>A <a href="#a" class="anchor">#</a></h2>', '## A'],
  ['paragraphs have an empty line between them', '<p>a<p>b', 'a\n\nb'],
  ['text beside a block is a paragraph', 'a<div>b</div>c', 'a\n\nb\n\nc'],
  ['line breaks stay', '<p>a<br>b', 'a  \nb'],
  ['white space collapses', '<p> a \n\t b&#32; </p>', 'a b'],
  ['marks stand beside the words', '<p>a<b> b </b>c <i>d </i>e', 'a **b** c *d* e'],
  ['struck and quoted text', '<p><del>a</del> <q>b</q>', '~~a~~ “b”'],
  ['inline code', '<p><code>a  b</code>', '`a b`'],
  ['inline code with a backtick', '<p><code>a`b</code>', '``a`b``'],
  ['characters of Markdown in text', '<p>1*2 [a](b) &lt;p&gt; `x`', '1\\*2 \\[a](b) \\<p> \\`x\\`'],
  ['names with underscores stay readable', '<p>snake_case _x_', 'snake_case \\_x\\_'],
  ['text that begins like a heading or list', '<p># a<p>1. b<p>- c', '\\# a\n\n1\\. b\n\n\\- c'],
  ['a quote', '<blockquote><p>a<p>b</blockquote>', '> a\n>\n> b'],
  ['a rule', '<p>a<hr><p>b', 'a\n\n---\n\nb'],
  ['two breaks end a paragraph', 'a<br><br>b<br> <br><br>c<br>', 'a\n\nb\n\nc'],
  ['soft hyphens and spaces without width are left out', '<p>su&shy;per\u200bcali\ufeff', 'supercali'],
  ['powers stay powers', '<p>10<sup>6</sup>, x<sup>-2</sup>, 1<sup>st</sup>', '10^6, x^-2, 1st'],
  ['ruby', '<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢(kan)'],
])('Markdown: %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

test.each([
  ['relative links are absolute', '<a href="../a?b=1#c">x</a>', '[x](https://example.com/a?b=1#c)'],
  [
    'a base element is followed',
    '<head><base href="/docs/"></head><a href="a">x</a><img src="i.png" alt="y">',
    '[x](https://example.com/docs/a)![y](https://example.com/docs/i.png)',
  ],
  ['a relative base too', '<base href="sub/"><a href="a">x</a>', '[x](https://example.com/shop/sub/a)'],
  ['scripts are no links', '<a href="javascript:void(0)">x</a>', 'x'],
  ['brackets in a URL are encoded', '<a href="/a_(b)">x</a>', '[x](https://example.com/a_%28b%29)'],
  ['a title is kept', '<a href="/" title=\'a "b"\'>x</a>', '[x](https://example.com/ "a \\"b\\"")'],
  ['images of data are left out', '<p>a<img src="data:image/png;base64,AAAA" alt="b">', 'a'],
  [
    'images that load late have their real address',
    '<img src="data:image/gif;base64,R0" data-src="/late.jpg" alt="b">',
    '![b](https://example.com/late.jpg)',
  ],
  ['images of a set', '<img srcset="/c.png 1x, /d.png 2x" alt="b">', '![b](https://example.com/c.png)'],
  [
    'images of a picture',
    '<picture><source srcset="/a.webp 1x"><img alt="b"></picture>',
    '![b](https://example.com/a.webp)',
  ],
  ['images of another script', '<img data-lazy="/l.png">', '![](https://example.com/l.png)'],
  ['tracking pixels are left out', '<p>a<img src="/t.gif" width="1" height="1">', 'a'],
  [
    'a card that is one link has it on its title',
    '<a href="/p"><h3>Name</h3><p>Words</p></a>',
    '### [Name](https://example.com/p)\n\nWords',
  ],
  [
    'a figure has its caption',
    '<figure><img src="/a.png" alt="b"><figcaption>c</figcaption></figure>',
    '![b](https://example.com/a.png)\n\nc',
  ],
])('links and images: %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

test.each([
  ['nested ones', '<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>', lines('- a', '  - b', '    - c', '- d')],
  ['nested beside their item', '<ul><li>a</li><ul><li>b</li></ul></ul>', lines('- a', '  - b')],
  ['numbers are those of their items', '<ol><li>a<li value="5">b<li>c</ol>', lines('1. a', '5. b', '6. c')],
  ['numbers go down', '<ol reversed><li>a<li>b<li>c</ol>', lines('3. a', '2. b', '1. c')],
  ['numbers go on from their start', '<ol start="9"><li>a<li>b</ol>', lines('9. a', '10. b')],
  ['a nested list is no code', '<ol><li>a<ol><li>b</ol></ol>', lines('1. a', '   1. b')],
  ['several blocks in an item', '<ul><li><p>a<p>b</ul>', lines('- a', '', '  b')],
  ['code in an item', '<ul><li>a<pre>x\ny</pre></ul>', lines('- a', '', '  ```', '  x', '  y', '  ```')],
  [
    'tasks',
    '<ul><li><input type="checkbox" checked>a<li><input type="checkbox">b</ul>',
    lines('- [x] a', '- [ ] b'),
  ],
  [
    'terms that share a description',
    '<dl><dt>a<dt>b<dd>c<dt>d<dd>e</dl>',
    lines('a', '', 'b', '', '- c', '', 'd', '', '- e'),
  ],
  ['definitions', '<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>', lines('a', '', '- b', '- c', '', 'd', '', '- e')],
])('lists: %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

test.each([
  ['lines and indentation stay', '<pre>a\n  b\n\nc\n</pre>', lines('```', 'a', '  b', '', 'c', '```')],
  ['lines of their own elements', '<pre><div>a</div><div>b</div></pre>', lines('```', 'a', 'b', '```')],
  [
    'lines of spans',
    '<pre><span class="line">a</span><span class="line">b</span></pre>',
    lines('```', 'a', 'b', '```'),
  ],
  [
    'lines of spans with their ends',
    '<pre><span class="line">a</span>\n<span class="line">b</span></pre>',
    lines('```', 'a', 'b', '```'),
  ],
  ['lines outside of pre', '<div><code>a<br>  b</code></div>', lines('```', 'a', '  b', '```')],
  ['lines by breaks', '<pre>a<br>b</pre>', lines('```', 'a', 'b', '```')],
  ['the language', '<pre><code class="language-ts">a</code></pre>', lines('```ts', 'a', '```')],
  [
    'the language of an element around it',
    '<div class="highlight-source-shell"><pre>a</pre></div>',
    lines('```shell', 'a', '```'),
  ],
  ['fences inside', '<pre>```\na\n```</pre>', lines('````', '```', 'a', '```', '````')],
  [
    'line numbers are left out',
    '<table><tr><td class="gutter"><pre>1\n2</pre><td class="code"><pre>a\nb</pre></table>',
    lines('```', 'a', 'b', '```'),
  ],
  ['the copy button too', '<pre><button>Copy</button><code>a</code></pre>', lines('```', 'a', '```')],
])('code: %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

test.each([
  [
    'a header and outer pipes',
    '<table><thead><tr><th>a<th>b</thead><tr><td>1<td>2</table>',
    lines('| a | b |', '| --- | --- |', '| 1 | 2 |'),
  ],
  ['no header', '<table><tr><td>1<td>2</table>', lines('|  |  |', '| --- | --- |', '| 1 | 2 |')],
  [
    'cells over several columns and rows',
    '<table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4</table>',
    lines('| a | b | c |', '| --- | --- | --- |', '| 1 | 2 |  |', '|  | 3 | 4 |'),
  ],
  [
    'blocks and pipes in cells',
    '<table><tr><th>a<th>b<tr><td><p>x</p><p>y|z</p><td><ul><li>1<li>2</ul></table>',
    lines('| a | b |', '| --- | --- |', '| x<br>y\\|z | - 1<br>- 2 |'),
  ],
  [
    'a table in a table that lays out the page',
    '<table><tr><td>x<td><table><tr><th>a<th>b<tr><td>1<td>2</table></table>',
    lines('x', '', '| a | b |', '| --- | --- |', '| 1 | 2 |'),
  ],
  ['a table of one column is no table', '<table><tr><td>a<tr><td>b</table>', 'a\n\nb'],
  [
    'a footer that comes first',
    '<table><tfoot><tr><td>c<td>3</tfoot><tr><th>a<th>b<tr><td>1<td>2</table>',
    lines('| a | b |', '| --- | --- |', '| 1 | 2 |', '| c | 3 |'),
  ],
  [
    'a caption',
    '<table><caption>c</caption><tr><th>a<th>b<tr><td>1<td>2</table>',
    lines('c', '', '| a | b |', '| --- | --- |', '| 1 | 2 |'),
  ],
])('tables: %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

test.each([
  [
    'footnotes',
    '<p>a<sup><a href="#fn1">1</a></sup></p><section class="footnotes"><ol><li id="fn1">b <a href="#fnref1">↩</a></ol></section>',
    'a[^1]\n\n[^1]: b',
  ],
  [
    'formulas',
    '<p><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
    '$x^2$',
  ],
  [
    'formulas of KaTeX, once',
    '<p><span class="katex"><math><annotation encoding="application/x-tex">y_1</annotation></math><span class="katex-html" aria-hidden="true">y1</span></span>',
    '$y_1$',
  ],
  ['formulas of MathJax', '<p><script type="math/tex">a+b</script>', '$a+b$'],
  [
    'formulas without TeX',
    '<p><math><mfrac><mn>1</mn><mn>2</mn></mfrac><msup><mi>x</mi><mn>2</mn></msup></math>',
    '$\\frac{1}{2} x^{2}$',
  ],
  [
    'details whose summary is a heading',
    '<details><summary><h3>a</h3></summary><p>b</details>',
    '### a\n\nb',
  ],
  ['details', '<details><summary>a</summary><p>b</details>', '**a**\n\nb'],
  [
    'hidden elements are left out',
    '<p>a<p hidden>b<p style="display: none">c<p style="visibility:hidden">d',
    'a',
  ],
  ['scripts, styles and templates too', '<p>a<script>b</script><style>c</style><template>d</template>', 'a'],
  ['the title of a picture is no text', '<p>a<svg><title>b</title></svg>', 'a'],
])('what else a page has %s', (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

test('a menu that comes once for each screen size is written once, and twice with scope=full', () => {
  const items = Array.from({ length: 30 }, (_, n) => `<li><a href="/${n}">Item ${n}</a>`).join('');
  const menu = `<ul>${items}</ul>`;
  const html = `<div class="desktop">${menu}</div><div class="mobile">${menu}</div><p>a`;
  expect(markdownOf(html, 'auto')?.match(/\[Item 7\]/g)).toHaveLength(1);
  expect(markdownOf(html, 'full')?.match(/\[Item 7\]/g)).toHaveLength(2);
});

test('text has neither marks nor addresses', () => {
  const html =
    '<h1>A</h1><p>b <b>c</b> <a href="/">d</a><ul><li>e<li>f</ul><pre>g\nh</pre><img src="/i" alt="j">';
  expect(textOf(html)).toBe('A\n\nb c d\n\n- e\n- f\n\ng\nh');
  expect(textOf('<table><tr><th>a<th>b<tr><td>1<td>2</table>')).toBe('a\tb\n1\t2');
});
