import fc from 'fast-check';

/** Words that Markdown could read as something else. */
const WORDS = [
  ...['a', 'word', '具体：', '「重点」', '（注）', 'é', 'Ж', '😀', 'x1'],
  ...[
    '*',
    '**',
    '_',
    '__',
    '~',
    '~~',
    '`',
    '``',
    '#',
    '##',
    '-',
    '+',
    '>',
    '1.',
    '2)',
    '|',
    '||',
    '---',
    '===',
    '~~~',
  ],
  ...[
    'a_b',
    '_c_',
    '*d*',
    '**e**',
    '`f`',
    '~g~',
    '[h]',
    '[i](j)',
    '![k](l)',
    '<m>',
    '&lt;n&gt;',
    '&amp;amp;',
    '&amp;#35;',
  ],
  ...[
    '\\',
    '\\*',
    'o\\',
    '!',
    '[',
    ']',
    '(',
    ')',
    '"q"',
    "'",
    ':',
    'https://e.com/r',
    'www.e.com',
    's@e.com',
    '$5',
    '[^1]',
    '[x]',
  ],
  ...['.', ',', '…', '—', '%', '/', '{', '}', '^', '=', '@', '\u00a0', '&copy;'],
].map((word) => word.replace(/<m>/, '&lt;m&gt;'));

const MARKS = ['b', 'strong', 'i', 'em', 'del', 's', 'span', 'u', 'cite'];

const { inline, block } = fc.letrec<{ inline: string; block: string }>((tie) => {
  const several = (name: 'inline' | 'block', max: number) =>
    fc.array(tie(name), { minLength: 1, maxLength: max }).map((parts) => parts.join(''));
  const within = (names: readonly string[], inner: fc.Arbitrary<string>) =>
    fc.tuple(fc.constantFrom(...names), inner).map(([name, html]) => `<${name}>${html}</${name}>`);
  const word = fc.constantFrom(...WORDS);
  const spaced = fc.tuple(word, fc.constantFrom('', ' ', ' ', '\n')).map((parts) => parts.join(''));
  const words = fc.array(spaced, { minLength: 1, maxLength: 3 }).map((some) => some.join(''));
  const cells = fc
    .array(several('inline', 3), { minLength: 2, maxLength: 3 })
    .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return {
    inline: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: spaced },
      { weight: 4, arbitrary: within(MARKS, several('inline', 4)) },
      { weight: 1, arbitrary: fc.constantFrom('<br>', '<code>a<br>b</code>') },
      { weight: 2, arbitrary: within(['code', 'kbd'], words) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.nat(9), fc.array(spaced, { minLength: 1, maxLength: 3 }))
          .map(([n, words]) => `<a href="https://e.com/${n}">${words.join('')}</a>`),
      },
    ),
    block: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: within(['p', 'div', 'h2', 'h4'], several('inline', 6)) },
      { weight: 2, arbitrary: within(['blockquote', 'section'], several('block', 3)) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom('ul', 'ol'),
            fc.array(fc.oneof(several('inline', 4), several('block', 2)), { minLength: 1, maxLength: 3 }),
          )
          .map(([name, items]) => `<${name}>${items.map((item) => `<li>${item}</li>`).join('')}</${name}>`),
      },
      {
        weight: 1,
        arbitrary: fc
          .array(cells, { minLength: 1, maxLength: 3 })
          .map((rows) => `<table><tr><th>h</th><th>i</th></tr>${rows.join('')}</table>`),
      },
      {
        weight: 1,
        arbitrary: fc
          .array(word, { minLength: 1, maxLength: 4 })
          .map((words) => `<pre>${words.join('\n')}</pre>`),
      },
      { weight: 1, arbitrary: fc.constant('<hr>') },
    ),
  };
});

/** Blocks and marks inside one another, around odd words. */
export const randomHtml: fc.Arbitrary<string> = fc
  .array(fc.oneof(block, inline), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''));
