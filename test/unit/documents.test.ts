import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NotConvertible } from '../../shared/contract/scrape/not-convertible.ts';
import type { Conversion } from '../../shared/contract/scrape/output.ts';
import { convertPage } from '../../shared/output/convert-page.ts';
import {
  claiming,
  docxOf,
  epubOf,
  odtOf,
  pptxOf,
  relations,
  shape,
  word,
  wordTable,
  xlsxOf,
  zipOf,
} from '../fixtures/documents/office.ts';
import { htmlOfStructure } from '../../shared/output/document/pdf/structure.ts';
import { linesOf, pdfOf, type PdfPage, type Text, widthOf } from '../fixtures/documents/pdf.ts';
import { wordsInOrder, wordsOf } from '../fixtures/documents/words.ts';

const URL = 'https://example.com/files/a';
const PARTS = ['markdown', 'text', 'links', 'metadata'] as const;

const read = (body: Buffer, wanted: Partial<Conversion> = {}) =>
  convertPage({
    body,
    contentType: 'application/octet-stream',
    url: URL,
    outputs: PARTS,
    scope: 'auto',
    ...wanted,
  });

const markdownOf = async (body: Buffer, wanted: Partial<Conversion> = {}) =>
  (await read(body, wanted)).markdown?.trim();

const obstacleOf = (body: Buffer, wanted: Partial<Conversion> = {}) =>
  read(body, wanted).then(
    () => 'read',
    (error: unknown) => (error instanceof NotConvertible ? error.obstacle : error),
  );

const fixture = (name: string) =>
  readFileSync(new globalThis.URL(`../fixtures/documents/${name}`, import.meta.url));

type Made = { texts: Text[]; words: string };

const column = (seed: number, words: number, x: number, top: number, chars: number) => {
  const all = wordsOf(words, seed);
  return { words: all, texts: linesOf(all, { x, top, chars }) };
};

function twoColumns(seed: number, offset: number): Made {
  const intro = column(seed, 40, 50, 750, 80);
  const left = column(seed + 1, 120, 50, 680, 38);
  const right = column(seed + 2, 110, 305, 680 - offset, 38);
  const title = { text: `Paper ${seed}`, x: 50, y: 790, size: 20 };
  const words = [title.text, ...intro.words, ...left.words, ...right.words].join(' ');
  return { texts: [title, ...intro.texts, ...left.texts, ...right.texts], words };
}

function threeColumns(seed: number): Made {
  const columns = [40, 215, 390].map((x, at) => column(seed + at, 80, x, 700, 26));
  return {
    texts: columns.flatMap(({ texts }) => texts),
    words: columns.flatMap(({ words }) => words).join(' '),
  };
}

function turned(seed: number, angle: 1 | 2 | 3): Made {
  const words = wordsOf(60, seed);
  const lines = linesOf(words, { x: 0, top: 0, chars: 40 });
  const places = {
    1: (y: number) => ({ x: 100 - y, y: 100 }),
    2: (y: number) => ({ x: 500, y: 100 - y }),
    3: (y: number) => ({ x: 400 + y, y: 700 }),
  };
  return {
    texts: lines.map((line) => ({ ...line, ...places[angle](line.y), angle })),
    words: words.join(' '),
  };
}

/** Rows whose last column is aligned to the right, between two paragraphs. */
function withTable(seed: number, rows: number): Made & { rows: string[][] } {
  const names = wordsOf(rows, seed);
  const table = [
    ['Name', 'Quantity', 'Price'],
    ...names.map((name, at) => [name, String(at * 7), (at * 3.5).toFixed(2)]),
  ];
  const before = column(seed + 1, 60, 50, 780, 80);
  const after = column(seed + 2, 60, 50, 640 - table.length * 14, 80);
  const cells = table.flatMap((row, at) =>
    row.map((text, where) => ({ text, x: [50, 250, 400 - widthOf(text, 10)][where] ?? 0, y: 660 - at * 14 })),
  );
  const words = [...before.words, ...table.flat(), ...after.words].join(' ');
  return { texts: [...before.texts, ...cells, ...after.texts], words, rows: table };
}

const seeds = (count: number) => Array.from({ length: count }, (_, at) => 1_000 + at * 10);

describe('the words of a PDF are read in their order', () => {
  const made: [string, PdfPage, string][] = [
    ...seeds(8).map((seed, at): [string, PdfPage, string] => {
      const page = twoColumns(seed, at * 3);
      return [`two columns, ${at * 3} points apart`, page, page.words];
    }),
    ...seeds(3).map((seed): [string, PdfPage, string] => [
      `three columns ${seed}`,
      threeColumns(seed),
      threeColumns(seed).words,
    ]),
    ...([1, 2, 3] as const).map((angle): [string, PdfPage, string] => [
      `text turned by ${angle * 90}°`,
      turned(7, angle),
      turned(7, angle).words,
    ]),
    ...[90, 180, 270].map((rotate): [string, PdfPage, string] => [
      `a page turned by ${rotate}°`,
      { ...twoColumns(5, 0), rotate },
      twoColumns(5, 0).words,
    ]),
    ...seeds(6).map((seed, at): [string, PdfPage, string] => [
      `a table of ${at + 3} rows`,
      withTable(seed, at + 3),
      withTable(seed, at + 3).words,
    ]),
  ];

  test.each(made)('%s', async (_, page, words) => {
    const { text = '' } = await read(pdfOf([page], { isCompressed: true }));
    expect(wordsInOrder(words, text)).toBeGreaterThanOrEqual(0.97);
  });

  const reversed = (text: string) => Array.from(text).toReversed().join('');
  test.each<[string, NonNullable<Text['font']>, string[]]>([
    ['Chinese, without a space between lines', 'chinese', ['这是第一行的文字没有空格', '接着是第二行']],
    ['Japanese', 'japanese', ['日本語の文書です', 'ひらがなとカタカナ']],
  ])('%s, by character maps that no file has to embed', async (_, font, lines) => {
    const texts = lines.map((text, at) => ({ text, x: 50, y: 700 - at * 12, font }));
    expect(await markdownOf(pdfOf([{ texts }]))).toBe(lines.join(''));
  });

  test.each(['שלום עולם זה מסמך', 'مرحبا بالعالم'])('from right to left: %s', async (text) => {
    const page = { texts: [{ text: reversed(text), x: 300, y: 700, font: 'unicode' as const }] };
    expect(await markdownOf(pdfOf([page]))).toBe(text);
  });

  test('with words whole that are broken between lines', async () => {
    const texts = ['An extra-', 'ordinary well-', 'Known word'].map((text, at) => ({
      text,
      x: 50,
      y: 700 - at * 12,
    }));
    expect(await markdownOf(pdfOf([{ texts }]))).toBe('An extraordinary well- Known word');
  });

  test('with what was filled into its form', async () => {
    const page: PdfPage = {
      texts: [
        { text: 'Name:', x: 50, y: 700 },
        { text: 'City:', x: 50, y: 680 },
      ],
      fields: [
        { value: 'Ada Lovelace', rect: [100, 696, 300, 712] },
        { value: 'London', rect: [100, 676, 300, 692] },
      ],
    };
    expect(wordsInOrder('Name Ada Lovelace City London', (await read(pdfOf([page]))).text ?? '')).toBe(1);
  });

  test('with what was chosen and ticked in its form, and no password', async () => {
    const yes = '/AP << /N << /Yes 4 0 R /Off 4 0 R >> >>';
    const entries = [
      '/FT /Ch /Ff 131072 /Opt [[(de) (Germany)] [(fr) (France)]] /V (fr)',
      '/FT /Ch /Ff 2097152 /Opt [(red) (green) (blue)] /V [(red) (blue)]',
      `/FT /Btn ${yes} /AS /Yes /V /Yes`,
      `/FT /Btn ${yes} /AS /Off /V /Off`,
      '/FT /Tx /Ff 8192 /V (s3cret)',
    ];
    const labels = ['Country:', 'Colours:', 'Agree:', 'Letters:', 'Password:'];
    const texts = labels.map((text, at) => ({ text, x: 50, y: 700 - at * 40 }));
    const fields = entries.map((each, at) => ({
      entries: each,
      rect: [110, 696 - at * 40, 300, 712 - at * 40] as const,
    }));
    expect((await read(pdfOf([{ texts, fields }]))).text?.split(/\s+/).join(' ').trim()).toBe(
      'Country: France Colours: red, blue Agree: \u2612 Letters: Password:',
    );
  });
});

describe('a PDF', () => {
  test('has its tables as tables', async () => {
    const { rows, ...page } = withTable(3, 6);
    const markdown = await markdownOf(pdfOf([page]));
    const [head, ...others] = rows.map((row) => `| ${row.join(' | ')} |`);
    expect(markdown).toContain([head, '| --- | --- | --- |', ...others].join('\n'));
  });

  test('has headings by their size, lists by their marks, and links by their places', async () => {
    const lines = ['• one', '• two', '    – nested', '• three'].map((text, at) => ({
      text: text.trim(),
      x: text.startsWith(' ') ? 70 : 50,
      y: 640 - at * 12,
    }));
    const sentence = 'Here is a link to follow.';
    const from = 50 + widthOf('Here is a ', 10);
    const page: PdfPage = {
      texts: [
        { text: 'The title', x: 50, y: 750, size: 24 },
        { text: 'A section', x: 50, y: 710, size: 16 },
        { text: sentence, x: 50, y: 680 },
        ...lines,
        { text: 'The end of the page, in a longer line than the others.', x: 50, y: 560 },
      ],
      links: [{ url: 'https://example.org/x', rect: [from, 676, from + widthOf('link', 10), 690] }],
    };
    expect(await markdownOf(pdfOf([page]))).toBe(
      '# The title\n\n## A section\n\nHere is a [link](https://example.org/x) to follow.\n\n' +
        '- one\n- two\n  - nested\n- three\n\nThe end of the page, in a longer line than the others.',
    );
    expect((await read(pdfOf([page]))).links).toEqual([
      { url: 'https://example.org/x', text: 'link', rel: '' },
    ]);
  });

  test('is read by the structure that its author gave it', async () => {
    const { markdown, metadata } = await read(fixture('tagged.pdf'));
    expect(markdown).toContain('# Heading one\n\nA [link](https://example.org/x) there.');
    expect(markdown).toContain('| Name | Qty |\n| --- | --- |\n| Apple | 10 |\n| Pear | 200 |');
    expect(markdown).toContain('- one\n- two\n\n1. first\n2. second');
    expect(metadata).toMatchObject({ title: 'Tagged', language: 'en-GB' });
  });

  test('says who wrote it and when', async () => {
    const info = {
      Title: 'A title',
      Author: 'Ada',
      Subject: 'Engines',
      CreationDate: "D:20250102030405+02'00'",
    };
    const { metadata } = await read(pdfOf([{ texts: [{ text: 'a', x: 50, y: 50 }] }], { info }));
    expect(metadata).toEqual({
      title: 'A title',
      author: 'Ada',
      description: 'Engines',
      published_at: '2025-01-02T01:04:05.000Z',
    });
  });

  const numbered = (count: number) =>
    pdfOf(Array.from({ length: count }, (_, at) => ({ texts: [{ text: `Page ${at + 1}`, x: 50, y: 700 }] })));

  test('is read in the pages that were requested', async () => {
    const { text, document } = await read(numbered(9), { document: { pages: '8-20, 2' } });
    expect([text, document]).toEqual(['Page 2\n\nPage 8\n\nPage 9\n', { kind: 'text', pages: 9, read: 3 }]);
  });

  test.each<[string, number, Conversion['document']]>([
    ['more pages than are read without a limit', 201, undefined],
    ['10,000 pages', 10_000, { max_pages: 2_000 }],
    ['more pages than the limit', 4, { max_pages: 3 }],
    ['more requested pages than the limit', 9, { pages: '2-6', max_pages: 3 }],
    ['none of the requested pages', 9, { pages: '10-12' }],
  ])('with %s is refused for its pages', async (_, count, document) => {
    expect(await obstacleOf(numbered(count), { document })).toBe('pages');
  });

  test('of pictures needs their text recognised, unless some pages have text', async () => {
    const pages: PdfPage[] = [
      { image: true },
      { texts: [{ text: 'words', x: 50, y: 700 }] },
      { image: true },
    ];
    const scan = read(pdfOf([{ image: true }, { image: true }, {}, { image: true }]), {
      document: { pages: '1-2,4' },
    });
    await expect(scan).rejects.toMatchObject({ obstacle: 'scanned', message: '1-2, 4' });
    expect(await read(pdfOf(pages))).toMatchObject({
      text: 'words\n',
      document: { kind: 'mixed', pages: 3, read: 3 },
    });
    expect(await read(pdfOf([{}]))).toMatchObject({ document: { kind: 'text' } });
  });

  test('is read if a password only protects it from changes, and not if it is needed to open it', async () => {
    expect(await markdownOf(fixture('owner-password.pdf'))).toBe('Words behind a password.');
    expect(await obstacleOf(fixture('user-password.pdf'))).toBe('encrypted');
  });

  const whole = pdfOf(seeds(4).map((seed) => twoColumns(seed, 0)));
  test.each([
    ['without its last bytes', whole.subarray(0, -200)],
    [
      'with a wrong place of its table',
      Buffer.from(whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1'),
    ],
    [
      'with wrong places of its objects',
      Buffer.from(whole.toString('latin1').replaceAll(/\d{10} 00000 n/g, '0000000099 00000 n'), 'latin1'),
    ],
    ['with other bytes before it', Buffer.concat([Buffer.from('HTTP garbage\r\n'), whole])],
  ])('%s is read as viewers do', async (_, body) => {
    expect((await read(body)).document).toEqual({ kind: 'text', pages: 4, read: 4 });
  });

  test('is encrypted too where it is so in a way that nothing here knows', async () => {
    const body = whole.toString('latin1').replace('/Root', '/Encrypt << /Filter /Adobe.PubSec /V 9 >> /Root');
    expect(await obstacleOf(Buffer.from(body, 'latin1'))).toBe('encrypted');
  });

  test.each([
    [
      'that says it has fewer than no pages',
      Buffer.from(whole.toString('latin1').replace('/Count 4', '/Count -4')),
    ],
    ['cut off in its first page', whole.subarray(0, 400)],
    ['of nothing but its first line', Buffer.from('%PDF-1.7\n')],
    [
      'whose pages lead to themselves',
      Buffer.from(
        '%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 1/Kids[2 0 R]>>\nendobj\ntrailer\n<</Root 1 0 R>>',
      ),
    ],
  ])('%s is broken', async (_, body) => {
    expect(await obstacleOf(body)).toBe('broken');
  });
});

describe('an Office document', () => {
  const about = { title: 'A title', author: 'Ada Lovelace', published_at: '2025-01-02T03:04:05Z' };

  test('of Word has its headings, lists, tables and links', async () => {
    const link =
      '<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="rLink"><w:r><w:t>the site</w:t></w:r></w:hyperlink></w:p>';
    const body = [
      ...[
        word('The title', { style: 'T' }),
        word('Part', { style: 'H1' }),
        word('Section', { style: 'H2' }),
        link,
      ],
      ...[word('one', { level: 0 }), word('nested', { level: 1 }), word('two', { level: 0 })],
      wordTable([
        ['Name', 'Qty'],
        ['Apple & pear', '10'],
      ]),
    ];
    const { markdown, metadata, links, document } = await read(
      docxOf(body.join('').replace('Apple & pear', 'Apple &amp; pear')),
    );
    expect(markdown).toBe(
      '# The title\n\n# Part\n\n## Section\n\nSee [the site](https://example.org/)\n\n- one\n  1. nested\n- two\n\n' +
        '| Name | Qty |\n| --- | --- |\n| Apple & pear | 10 |\n',
    );
    expect(metadata).toMatchObject({ ...about, published_at: '2025-01-02T03:04:05.000Z' });
    expect([links, document]).toEqual([
      [{ url: 'https://example.org/', text: 'the site', rel: '' }],
      { kind: 'text', pages: 1, read: 1 },
    ]);
  });

  test('of Excel has its sheets as tables, with dates, shares and joined cells', async () => {
    const rows = [
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>When</t></is></c><c r="D1" t="str"><v>Share</v></c></row>',
      '<row r="3"><c r="A3" t="s"><v>1</v></c><c r="C3" s="1"><v>45658</v></c><c r="D3" s="2"><v>0.125</v></c></row>',
      '<row r="4"><c r="A4"><v>0.1</v></c><c r="C4" s="3"><v>0.75</v></c><c r="D4" t="b"><v>1</v></c></row>',
      '<row r="5"><c r="A5" t="s"><v>2</v></c></row>',
    ];
    const after =
      '<mergeCells><mergeCell ref="A5:D5"/></mergeCells><hyperlinks><hyperlink ref="A3" r:id="l"/></hyperlinks>';
    const sheets = [
      { name: 'Stock', rows: rows.join(''), after },
      { name: 'Secret', rows: rows[0] ?? '', state: 'hidden' },
      { name: 'Second', rows: '<row><c><v>1</v></c><c><v>2</v></c></row>' },
    ];
    const { markdown, document } = await read(xlsxOf(sheets, ['Name', 'Apple', 'All of it']));
    expect(markdown).toBe(
      '## Stock\n\n| Name | When | Share |\n| --- | --- | --- |\n| [Apple](https://example.org/) | 2025-01-01 | 12.5% |\n' +
        '| 0.1 | 18:00:00 | TRUE |\n| All of it |  |  |\n\n## Second\n\n| 1 | 2 |\n| --- | --- |\n',
    );
    expect(document).toEqual({ kind: 'text', pages: 2, read: 2 });
  });

  test('of PowerPoint has its slides, the title of each first', async () => {
    const slides = [
      shape('body', ['one', 'two']) + shape('title', ['First']),
      shape('title', ['Second']) + shape('sldNum', ['2']),
      shape('title', ['Third']),
    ];
    expect(await markdownOf(pptxOf(slides), { document: { pages: '1-2' } })).toBe(
      '## First\n\n- one\n- two\n\n## Second',
    );
  });

  test('of PowerPoint has its diagrams, its formulas and the numbers of its lists', async () => {
    const frame = '<p:graphicFrame><a:graphic><dgm:relIds r:dm="d"/></a:graphic></p:graphicFrame>';
    const paragraph = (inner: string) => `<a:p>${inner}</a:p>`;
    const text = (words: string) => `<a:r><a:t>${words}</a:t></a:r>`;
    const numbers = '<a:pPr><a:buAutoNum type="arabicPeriod" startAt="5"/></a:pPr>';
    const formula = '<a14:m><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></a14:m>';
    const box = paragraph(numbers + text('five')) + paragraph(text('If ') + formula);
    const point = (words: string, type: string) =>
      `<dgm:pt type="${type}"><dgm:t>${paragraph(text(words))}</dgm:t></dgm:pt>`;
    const files = {
      'ppt/slides/_rels/slide0.xml.rels': relations({ d: ['diagramData', '../diagrams/data1.xml'] }),
      'ppt/diagrams/data1.xml': `<dgm:dataModel>${point('Plan', 'node')}${point('layout', 'pres')}${point('Do', 'node')}</dgm:dataModel>`,
    };
    const slide = `${frame}<p:sp><p:txBody>${box}</p:txBody></p:sp>`;
    expect(await markdownOf(pptxOf([slide], files))).toBe('- Plan\n- Do\n\n5. five\n\nIf $x$');
  });

  test('that is encrypted is refused as such', async () => {
    const magic = Buffer.from('d0cf11e0a1b11ae1', 'hex');
    expect(
      await obstacleOf(Buffer.concat([magic, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')])),
    ).toBe('encrypted');
    expect(await obstacleOf(Buffer.concat([magic, Buffer.alloc(600)]))).toBe('type');
  });
});

describe('other documents', () => {
  test('a text of OpenDocument has its headings, lists, tables, links and notes', async () => {
    const item = (text: string) => `<text:list-item><text:p>${text}</text:p></text:list-item>`;
    const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
    const body = [
      '<text:h text:outline-level="2">Part</text:h>',
      '<text:p>See <text:a xlink:href="https://example.org/">the site</text:a><text:note><text:note-body><text:p>A note.</text:p></text:note-body></text:note>.</text:p>',
      `<text:list text:style-name="N">${item('one')}${item('two')}</text:list>`,
      `<table:table><table:table-row>${cell('Name')}${cell('Qty')}</table:table-row><table:table-row>${cell('Apple')}${cell('10')}</table:table-row></table:table>`,
    ];
    const { markdown, metadata } = await read(odtOf(body.join('')));
    expect(markdown).toBe(
      '## Part\n\nSee [the site](https://example.org/)^1.\n\n1. one\n2. two\n\n| Name | Qty |\n| --- | --- |\n| Apple | 10 |\n\n1. A note.\n',
    );
    expect(metadata).toMatchObject({ title: 'A title', author: 'Ada Lovelace' });
    expect(
      await obstacleOf(odtOf('', '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>')),
    ).toBe('encrypted');
  });

  test('a book has its chapters in the order of its spine', async () => {
    const book = epubOf([
      '<h1>One</h1><p>First <a href="c1.xhtml">next</a> <a href="https://example.org/">site</a></p>',
      '<h1>Two</h1><p>Second<br/>line</p>',
    ]);
    expect(await read(book)).toMatchObject({
      markdown: '# One\n\nFirst next [site](https://example.org/)\n\n# Two\n\nSecond  \nline\n',
      metadata: { title: 'A title', author: 'Ada Lovelace', language: 'en' },
      document: { kind: 'text', pages: 2, read: 2 },
    });
    const fonts = { 'META-INF/encryption.xml': `<encryption>${' '.repeat(1_000_000)}</encryption>` };
    const chapters = Array.from({ length: 110 }, () => '<p>x</p>');
    expect(await read(epubOf(chapters, fonts))).toMatchObject({ document: { pages: 110 } });
    const encryption =
      '<encryption><EncryptedData><CipherReference URI="OPS/text/c0.xhtml"/></EncryptedData></encryption>';
    expect(await obstacleOf(epubOf(['<p>x</p>'], { 'META-INF/encryption.xml': encryption }))).toBe(
      'encrypted',
    );
  });

  test('a book may have elements without an end, as in HTML', async () => {
    const book = epubOf([
      '<p>one<br>two<img src="a>b.png" alt="x">three<br class="y"/>four</p><hr><p>five</p>',
    ]);
    expect(await markdownOf(book)).toBe('one  \ntwothree  \nfour\n\n---\n\nfive');
  });

  test('Rich Text has its headings, lists, tables, links, notes and characters of other scripts', async () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 A;}{\f1\fcharset204 B;}}{\stylesheet{\s1\outlinelevel0 heading 1;}}{\info{\title A title}{\author Ada}}
\pard\s1\b Part\par\pard\b0 caf\'e9 \u8364?5 {\b bold} {\f1\'cc\'e8\'f0}{\field{\*\fldinst HYPERLINK "https://example.org/"}{\fldrslt the site}}{\footnote A note.}\par
\pard\fi-360\li360 \bullet \tab one\par\bullet \tab two\par
\pard\intbl Name\cell Qty\cell\row\pard\intbl Apple\cell 10\cell\row\pard End\par{\*\generator hidden}}`;
    expect(await read(Buffer.from(rtf, 'latin1'))).toMatchObject({
      markdown:
        '# Part\n\ncafé €5 **bold** Мир[the site](https://example.org/)^1\n\n- one\n- two\n\n| Name | Qty |\n| --- | --- |\n| Apple | 10 |\n\nEnd\n\n1. A note.\n',
      metadata: { title: 'A title', author: 'Ada' },
    });
  });

  test('Rich Text may have cells and notes of very many lines', async () => {
    const lines = `First${'\\par '.repeat(100_000)}last`;
    const cell = `{\\rtf1\\pard\\intbl ${lines}\\cell\\row}`;
    expect((await read(Buffer.from(cell))).text).toMatch(/^First\s+last\s*$/);
    const note = `{\\rtf1\\pard Words{\\footnote ${lines}}\\par}`;
    expect((await read(Buffer.from(note))).text).toMatch(/First\s+last\s*$/);
  });

  test.each([
    ['text/csv', 'name,qty\r\n"Pear, green",2\r\n'],
    ['text/csv; charset=utf-8', '\ufeffname;qty\n"Pear, green";2\n'],
    ['text/tab-separated-values', 'name\tqty\nPear, green\t2\n'],
    ['application/csv', 'name|qty\n"Pear, green"|2\n'],
  ])('values as %s are a table', async (contentType, text) => {
    expect(await markdownOf(Buffer.from(text), { contentType })).toBe(
      '| name | qty |\n| --- | --- |\n| Pear, green | 2 |',
    );
  });

  test('values are known by their name where the type says nothing, and read in their charset', async () => {
    const body = Buffer.from('name,qty\ncaf\u00e9,2\n', 'latin1');
    expect(
      await markdownOf(body, { contentType: 'text/plain', url: 'https://example.com/a.csv?x=1' }),
    ).toContain('| café | 2 |');
    expect(await obstacleOf(body, { contentType: 'text/plain' })).toBe('type');
  });
});

describe('a document', () => {
  const docx = docxOf(word('words'));
  const pdf = pdfOf([{ texts: [{ text: 'words', x: 50, y: 700 }] }]);

  test.each([
    ['a PDF as HTML', pdf, 'text/html'],
    ['a PDF as a Word document', pdf, 'application/msword'],
    ['a Word document as a PDF', docx, 'application/pdf'],
    ['a Word document as an archive', docx, 'application/zip'],
    ['HTML as a PDF', Buffer.from('<!doctype html><p>words'), 'application/pdf'],
    ['HTML as values', Buffer.from('<!doctype html><p>words'), 'text/csv'],
  ])('is known by its bytes: %s', async (_, body, contentType) => {
    expect((await read(body, { contentType })).text).toBe('words\n');
  });

  test.each([
    [
      'a picture that is called a PDF',
      Buffer.from('\u0089PNG\r\n\u001a\n\u0000', 'latin1'),
      'application/pdf',
      'type',
    ],
    ['an archive of something else', zipOf({ 'a.txt': 'words' }), 'application/zip', 'type'],
    ['an archive in an archive', zipOf({ 'a.docx': docx }), 'application/zip', 'type'],
    ['a Word document without its end', docx.subarray(0, -300), 'application/zip', 'broken'],
    [
      'a Word document without its text',
      zipOf({ '[Content_Types].xml': 'wordprocessingml.document.main' }),
      'application/zip',
      'broken',
    ],
  ])('is refused if it is none: %s', async (_, body, contentType, obstacle) => {
    expect(await obstacleOf(body, { contentType })).toBe(obstacle);
  });

  test('has no images, no HTML and no values of rules', async () => {
    for (const output of ['images', 'html', 'extract'] as const)
      expect(await obstacleOf(docx, { outputs: [output], contentType: 'application/zip' })).toBe('type');
  });

  const cells = '<c><v>1</v></c>'.repeat(400_000);
  test.each<[string, string, Buffer]>([
    ['of 101 MB in a Word document', 'memory', claiming(docx, 'word/document.xml', 101_000_000)],
    ['of elements in elements', 'depth', odtOf('<text:section>'.repeat(60_000))],
    ['of a million cells', 'memory', xlsxOf([{ name: 'A', rows: `<row>${cells}</row>` }])],
    [
      'of more than it claims',
      'broken',
      claiming(docxOf(word('a'.repeat(1_000_000))), 'word/document.xml', 999),
    ],
    ['of more than it claims, unpacked', 'broken', claiming(odtOf(''), 'mimetype', 1)],
  ])('that would not fit into memory is refused before it is read: %s', async (_, obstacle, body) => {
    expect(await obstacleOf(body)).toBe(obstacle);
  });

  test('neither resolves entities, nor takes the names of objects for its own', async () => {
    const entities = '<!DOCTYPE x [<!ENTITY a "boom"><!ENTITY b SYSTEM "file:///etc/passwd">]>';
    const odt = odtOf('<text:p>safe &a;&b;</text:p>');
    const hostile = zipOf({
      mimetype: 'application/vnd.oasis.opendocument.text',
      'content.xml': `${entities}<office:text><text:p>safe &b;</text:p></office:text>`,
      __proto__x: 'y',
    });
    for (const body of [odt, hostile]) expect((await read(body)).text).toMatch(/^safe/);
    for (const body of [odt, hostile]) expect((await read(body)).text).not.toMatch(/boom|root:/);
    const names = xlsxOf([
      { name: '__proto__', rows: '<row><c t="inlineStr"><is><t>constructor</t></is></c></row>' },
    ]);
    expect(await markdownOf(names)).toContain('constructor');
    const tagged = {
      role: 'Root',
      children: [{ role: '__proto__', children: [{ type: 'content', id: 'm' }] }],
    };
    const words = { text: 'words', x: 0, y: 0, width: 30, size: 10, isRtl: false, mark: 'm' };
    expect(htmlOfStructure(tagged, [words])).toBe('<p>words</p>');
  });
});
