import { expect, test } from 'vitest';
import { convertPage } from '../../shared/output/convert-page.ts';

async function markdownOf(body: string): Promise<string | undefined> {
  const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 A;}}{\stylesheet{\s1 heading 1;}}${body}}`;
  const wanted = { contentType: 'application/rtf', url: 'https://example.com/a.rtf', scope: 'auto' } as const;
  const { markdown } = await convertPage({
    body: Buffer.from(rtf, 'latin1'),
    ...wanted,
    outputs: ['markdown'],
  });
  return markdown?.trim();
}

const link = (url: string, inner: string) =>
  String.raw`{\field{\*\fldinst HYPERLINK "${url}"}{\fldrslt ${inner}}}`;

test.each<[string, string, string]>([
  [
    'without page numbers and links of headers and footers',
    String.raw`{\header {\field{\*\fldinst PAGE}{\fldrslt 7}}}{\footer ${link('https://example.org/', 'foot')}}\pard Words\par`,
    'Words',
  ],
  [
    'without text that was deleted',
    String.raw`\pard Kept {\deleted\revauthdel1 gone }{\revised new}\par`,
    'Kept new',
  ],
  ['with its headings by short styles', String.raw`\pard\s1 Part\par\pard words\par`, '# Part\n\nwords'],
  [
    'with characters that nothing stands in for',
    String.raw`\pard {\b\u233}t{\u233 }s \u8212\emdash x\par`,
    '**é**tés —x',
  ],
  [
    'with links whole whose text has emoji',
    String.raw`\pard ${link('https://example.org/', String.raw`a \u-10179?\u-8704? {b}{ }{c}`)}\par`,
    '[a 😀 b c](https://example.org/)',
  ],
  [
    'with links and paragraphs of notes in the notes',
    String.raw`\pard Text{\footnote See ${link('https://example.org/', 'it')}.\par More.\par} end\par`,
    'Text^1 end\n\n1. See [it](https://example.org/).  \n   More.',
  ],
  [
    'with the text of shapes, before their paragraphs',
    String.raw`\pard Before {\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt \pard In a box.\par Twice.\par}}{\shprslt{\*\do{\dptxbxtext In a box.}}}}after\par{\header{\shp{\*\shpinst{\shptxt draft\par}}}}`,
    'In a box.\n\nTwice.\n\nBefore after',
  ],
  [
    'with tables whole where a shape is in a cell',
    String.raw`\pard\intbl a{\shp{\*\shpinst{\shptxt\pard x\par}}}\cell b\cell\row\pard\intbl c\cell d\cell\row`,
    '| a | b |\n| --- | --- |\n| c | d |',
  ],
])('Rich Text is read %s', async (_, body, expected) => {
  expect(await markdownOf(body)).toBe(expected);
});
