import { expect, test } from 'vitest';
import { unzipSync } from 'fflate';
import { convertPage } from '../../shared/output/convert-page.ts';
import { odtOf, zipOf } from '../fixtures/documents/office.ts';

async function markdownOf(body: Buffer): Promise<string | undefined> {
  const wanted = { contentType: 'application/zip', url: 'https://example.com/a', scope: 'auto' } as const;
  const { markdown } = await convertPage({ body, ...wanted, outputs: ['markdown'] });
  return markdown?.trim();
}

const style = (name: string, properties: string, parent = '') =>
  `<style:style style:name="${name}"${parent && ` style:parent-style-name="${parent}"`}><style:text-properties ${properties}/></style:style>`;

/** `Big` is a title, `B` bold, `Gone` hidden; lists of `Mixed` have bullets within numbers. */
const STYLES = [
  style('B', 'fo:font-weight="bold"'),
  style('BI', 'fo:font-style="italic"', 'B'),
  style('Gone', 'text:display="none"'),
  style('Big', '', 'Title'),
  '<text:list-style style:name="Mixed"><text:list-level-style-number text:level="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>',
].join('');

function styled(body: string): Buffer {
  const files = Object.fromEntries(Object.entries(unzipSync(odtOf(body))));
  const content = new TextDecoder().decode(files['content.xml']);
  const fo = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"';
  return zipOf({
    ...files,
    'content.xml': content
      .replace('<office:document-content', `$& ${fo}`)
      .replace('<office:automatic-styles>', `$&${STYLES}`),
    'Formula 1/content.xml':
      '<math:math xmlns:math="x"><math:msup><math:mi>x</math:mi><math:mn>2</math:mn></math:msup></math:math>',
  });
}

const item = (inner: string, more = '') => `<text:list-item${more}>${inner}</text:list-item>`;
const p = (inner: string, name = '') => `<text:p${name && ` text:style-name="${name}"`}>${inner}</text:p>`;
const list = (inner: string, more = '') => `<text:list text:style-name="Mixed"${more}>${inner}</text:list>`;

test.each<[string, string, string]>([
  ['the title of a style of its own', p('A title', 'Big'), '# A title'],
  [
    'emphasis, and no hidden text',
    p(
      'a <text:span text:style-name="B">b</text:span><text:span text:style-name="Gone"> c</text:span> <text:span text:style-name="BI">d</text:span>',
    ) + p('e', 'Gone'),
    'a **b** ***d***',
  ],
  [
    'the text of shapes behind its paragraph, without descriptions',
    p(
      `a<draw:frame><draw:text-box>${p('one')}${p('two')}</draw:text-box><svg:desc>picture</svg:desc></draw:frame> b`,
    ),
    'a b\n\none\n\ntwo',
  ],
  [
    'bullets within numbers',
    list(item(`${p('one')}<text:list>${item(p('two'))}</text:list>`)),
    '1. one\n   - two',
  ],
  [
    'numbers that continue, or begin where they say',
    list(item(p('one')) + item(p('two'))) +
      p('between') +
      list(item(p('three')), ' text:continue-numbering="true"') +
      p('between') +
      list(item(p('nine'), ' text:start-value="9"')),
    '1. one\n2. two\n\nbetween\n\n3. three\n\nbetween\n\n9. nine',
  ],
  [
    'ideographs with their reading',
    p('<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby>'),
    '漢(かん)',
  ],
  ['formulas', p('If <draw:frame><draw:object xlink:href="./Formula 1"/></draw:frame>'), 'If $x^{2}$'],
])('a text of OpenDocument has %s', async (_, body, expected) => {
  expect(await markdownOf(styled(body))).toBe(expected);
});
