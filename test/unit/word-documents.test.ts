import { expect, test } from 'vitest';
import { convertPage } from '../../shared/output/convert-page.ts';
import { docxOf, word } from '../fixtures/documents/office.ts';

async function markdownOf(body: Buffer): Promise<string | undefined> {
  const wanted = { contentType: 'application/zip', url: 'https://example.com/a', scope: 'auto' } as const;
  const { markdown } = await convertPage({ body, ...wanted, outputs: ['markdown'] });
  return markdown?.trim();
}

const run = (text: string, properties = '') =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const m = (text: string, style = '') => `<m:r>${style}<m:t>${text}</m:t></m:r>`;
const place = (name: string, ...parts: string[]) => `<m:${name}>${parts.join('')}</m:${name}>`;

test.each<[string, string, string]>([
  [
    'results of fields',
    `<w:fldSimple w:instr="SEQ Figure">${run('Figure 1')}</w:fldSimple>${run(': x')}`,
    'Figure 1: x',
  ],
  [
    'text in its direction',
    `${run('a ')}<w:dir w:val="rtl">${run('b ')}</w:dir><w:bdo w:val="ltr">${run('c')}</w:bdo>`,
    'a b c',
  ],
  ['line ends of both kinds', '<w:r><w:t>a</w:t><w:cr/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>', 'a  \nb  \nc'],
  [
    'ideographs with their reading',
    `<w:r><w:ruby><w:rubyPr/><w:rt>${run('かん')}</w:rt><w:rubyBase>${run('漢')}</w:rubyBase></w:ruby></w:r>`,
    '漢(かん)',
  ],
  [
    'no hidden text',
    run('a') + run('b', '<w:b/><w:vanish/>') + run('c', '<w:vanish w:val="0"/>') + run('d', '<w:b/>'),
    'ac**d**',
  ],
  [
    'no text that was deleted or moved away',
    `${run('a')}<w:del>${run('b')}</w:del><w:moveFrom>${run('c')}</w:moveFrom><w:moveTo>${run('d')}</w:moveTo>`,
    'ad',
  ],
  [
    'the space before a link into the document',
    `${run('see ')}<w:hyperlink w:anchor="x">${run('part 2')}</w:hyperlink>${run(' there')}`,
    'see part 2 there',
  ],
])('a Word document has %s', async (_, inner, expected) => {
  expect(await markdownOf(docxOf(`<w:p>${inner}</w:p>`))).toBe(expected);
});

test.each<[string, string]>([
  [place('f', place('num', m('a')), place('den', m('2b'))), String.raw`\frac{a}{2 b}`],
  [place('sSup', place('e', m('x')), place('sup', m('2'))), 'x^{2}'],
  [place('sSubSup', place('e', m('x')), place('sub', m('i')), place('sup', m('2'))), 'x_{i}^{2}'],
  [place('rad', place('deg'), place('e', m('x'))), String.raw`\sqrt{x}`],
  [place('rad', place('deg', m('3')), place('e', m('x'))), String.raw`\sqrt[3]{x}`],
  [
    place(
      'nary',
      '<m:naryPr><m:chr m:val="∑"/></m:naryPr>',
      place('sub', m('i')),
      place('sup', m('n')),
      place('e', m('i')),
    ),
    String.raw`\sum_{i}^{n} i`,
  ],
  [
    place('d', place('e', place('m', place('mr', place('e', m('1')), place('e', m('2')))))),
    String.raw`\begin{pmatrix} 1 & 2 \end{pmatrix}`,
  ],
  [m('sin', '<m:rPr><m:sty m:val="p"/></m:rPr>') + m('x<1'.replace('<', '&lt;')), 'sin x < 1'],
])('a formula of Word is TeX: %s', async (formula, tex) => {
  const paragraph = `<w:p>${run('If ')}<m:oMath ${M}>${formula}</m:oMath></w:p>`;
  expect(await markdownOf(docxOf(paragraph))).toBe(`If $${tex}$`);
  const alone = `<w:p><m:oMathPara ${M}><m:oMath>${formula}</m:oMath></m:oMathPara></w:p>`;
  expect(await markdownOf(docxOf(alone))).toContain(tex);
});

test('formulas without an end are looked through once', async () => {
  const wanted = { contentType: 'application/zip', url: 'https://example.com/a', scope: 'auto' } as const;
  const body = docxOf('<w:p><m:oMath>'.repeat(60_000));
  const before = performance.now();
  await expect(convertPage({ body, ...wanted, outputs: ['text'] })).rejects.toThrow();
  expect(performance.now() - before).toBeLessThan(4_000);
});

test('headings of Word are known by their level, whatever their style is called', async () => {
  const style = (id: string, inner: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="x ${id}"/>${inner}</w:style>`;
  const level = (value: number) => `<w:pPr><w:outlineLvl w:val="${value}"/></w:pPr>`;
  const styles = [
    '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>',
    style('Own', '<w:basedOn w:val="H2"/>'),
    style('Deep', level(7)),
    style('Not', `<w:basedOn w:val="H2"/>${level(9)}`),
    style('Round', '<w:basedOn w:val="Round"/>'),
  ];
  const names = ['Own', 'Deep', 'Not', 'Round'];
  const body = names.map((name) => word(`in ${name}`, { style: name })).join('');
  const xml = `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${styles.join('')}</w:styles>`;
  expect(await markdownOf(docxOf(body, { 'word/styles.xml': xml }))).toBe(
    '## in Own\n\n###### in Deep\n\nin Not\n\nin Round',
  );
});

test('numbers of lists of Word continue after other text, and begin where they say', async () => {
  const decimal = (level: number, start = 1) =>
    `<w:lvl w:ilvl="${level}"><w:start w:val="${start}"/><w:numFmt w:val="decimal"/></w:lvl>`;
  const list = (id: number, definition: number, inner = '') =>
    `<w:num w:numId="${id}"><w:abstractNumId w:val="${definition}"/>${inner}</w:num>`;
  const numbering = [
    `<w:abstractNum w:abstractNumId="0">${decimal(0, 5)}${decimal(1)}</w:abstractNum>`,
    list(1, 0) + list(2, 0),
    list(3, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="2"/></w:lvlOverride>'),
  ];
  const item = (text: string, id = 1, level = 0) =>
    word(text, { level }).replace('w:numId w:val="1"', `w:numId w:val="${id}"`);
  const body = [
    item('five') + item('first', 1, 1) + item('second', 1, 1) + item('') + word('between'),
    item('seven', 2) + item('again', 2, 1) + word('between'),
    item('two', 3) + item('three', 3) + word('between') + item('without', 9),
  ];
  const xml = `<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${numbering.join('')}</w:numbering>`;
  expect(await markdownOf(docxOf(body.join(''), { 'word/numbering.xml': xml }))).toBe(
    '5. five\n   1. first\n   2. second\n\nbetween\n\n7. seven\n   1. again\n\nbetween\n\n2. two\n3. three\n\nbetween\n\nwithout',
  );
});
