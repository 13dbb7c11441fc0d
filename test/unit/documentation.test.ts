import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { errorList } from '../../infra/docs/error-list.ts';
import { snippetsOf } from '../../infra/docs/examples.ts';
import { raw, textOf } from '../../infra/docs/html.ts';
import { indexPage } from '../../infra/docs/index-page.ts';
import { inline, sectionsOf } from '../../infra/docs/markdown.ts';
import { operations } from '../../infra/docs/reference.ts';

test('the committed list of errors matches the code: npm run openapi', async () => {
  const committed = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  expect(committed).toBe(errorList());
});

test('the page of the API names every field of a job with its type', async () => {
  expect(await indexPage('1.0.0')).toMatch(/content_truncated<\/code>[^]{0,200}?true/);
});

test.each(operations)(
  '$operationId has an example for curl, Node and Python',
  async ({ operationId, path }) => {
    const snippets = await snippetsOf(operationId);
    const [end = ''] = /[^/}]*$/.exec(path) ?? [];
    expect(snippets.map(({ label }) => label)).toEqual(['curl', 'Node', 'Python']);
    for (const { code } of snippets) expect(code).toContain(end);
  },
);

test('Markdown has code, links and strong words in text', () => {
  expect(textOf(inline('`<a>` is **not** [a `link`](b.md) <b>, see https://a.example'))).toBe(
    '<code>&lt;a&gt;</code> is <strong>not</strong> <a href="b.md">a <code>link</code></a> &lt;b&gt;, see https://a.example',
  );
});

test('Markdown becomes sections of paragraphs, lists, tables and code', () => {
  const source =
    '# Title\n\nLost.\n\n## What it **is**\n\nOne\ntwo.\n\n- a\n- b\n  c\n\n| x |\n| - |\n| 1 |\n\n```sh\na\n\n## b\n```\n\n[c](d.md)\n';
  const [section, ...others] = sectionsOf(source, (href) => `#${href}`);
  expect(others).toEqual([]);
  expect(section).toMatchObject({ id: 'what-it-is' });
  const body = textOf(section?.body ?? raw(''));
  const markup = body.replace(/\s*\n\s*/g, ' ');
  expect(markup).toMatch(/^<p>One two\.<\/p> <ul> <li>a ?<\/li> <li>b c ?<\/li> <\/ul>/);
  expect(markup).toContain('<th scope="col">x</th>');
  expect(markup).toContain('<td>1</td>');
  expect(body).toMatch(/<code>a\n\n.*## b.*<\/code><\/pre>/);
  expect(markup).toContain('<a href="#d.md">c</a>');
});
