import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorList } from '../../infra/docs/error-list.ts';
import { snippetsOf } from '../../infra/docs/examples.ts';
import { textOf } from '../../infra/docs/html.ts';
import { inline, markup } from '../../infra/docs/markdown.ts';
import { operationMarkdown } from '../../infra/docs/operation-markdown.ts';
import { operationArticle } from '../../infra/docs/operation.ts';
import { operations } from '../../infra/docs/reference.ts';
import { writeDocs } from '../../infra/docs/write-docs.ts';

test('the committed list of errors matches the code: npm run openapi', async () => {
  const committed = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  expect(committed).toBe(errorList());
});

test('the page of an operation names every field of a job with its type', () => {
  const getJob = operations.find(({ operationId }) => operationId === 'getJob');
  if (!getJob) throw new Error('no such operation');
  expect(textOf(operationArticle(getJob, []))).toMatch(/content_truncated<\/code>[^]{0,200}?true/);
  expect(operationMarkdown(getJob, [])).toContain('| `content_truncated` | true |');
});

test.each(operations)(
  '$operationId has an example for curl, TypeScript and Python',
  async ({ operationId, path }) => {
    const snippets = await snippetsOf(operationId);
    const [end = ''] = /[^/}]*$/.exec(path) ?? [];
    expect(snippets.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
    expect(snippets[0]?.code).toContain(end);
  },
);

test('Markdown has code, links and strong words in text', () => {
  expect(textOf(inline('`<a>` is **not** [a `link`](b.md) <b>, see https://a.example'))).toBe(
    '<code>&lt;a&gt;</code> is <strong>not</strong> <a href="b">a <code>link</code></a> &lt;b&gt;, see https://a.example',
  );
});

test('Markdown becomes headings with ids, paragraphs, lists, tables and code', () => {
  const source =
    '# Title\n\n## What it **is**\n\nOne\ntwo.\n\n- a\n- b\n  c\n\n| x |\n| - |\n| 1 |\n\n```sh\na\n\n## b\n```\n\n[c](d.md#e)\n';
  const body = textOf(markup(source));
  const flat = body.replace(/\s*\n\s*/g, ' ');
  expect(flat).toMatch(/^<h1>Title<\/h1><h2 id="what-it-is"><a href="#what-it-is">What it <strong>is</);
  expect(flat).toMatch(/<p>One two\.<\/p> <ul> <li>a ?<\/li> <li>b c ?<\/li> <\/ul>/);
  expect(flat).toContain('<th scope="col">x</th>');
  expect(flat).toContain('<td>1</td>');
  expect(body).toMatch(/<code>a\n\n.*## b.*<\/code><\/pre>/);
  expect(flat).toContain('<a href="d#e">c</a>');
});

describe('of the documentation', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'docs-'));
  await writeDocs(folder.path);
  const paths = (await readdir(folder.path, { recursive: true })).filter((path) =>
    /\.(html|md|txt)$/.test(path),
  );
  const files = new Map(
    await Promise.all(
      paths.map(async (path) => [urlOf(path), await readFile(join(folder.path, path), 'utf8')] as const),
    ),
  );

  test('every link leads to a page and its heading', () => {
    const dead = [...files].flatMap(([from, text]) =>
      linksIn(from, text)
        .filter((link) => !leadsSomewhere(files, new URL(link, HOST + from)))
        .map((link) => `${from}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test('no page has an id twice', () => {
    for (const [path, text] of files) {
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(ids, path).toEqual([...new Set(ids)]);
    }
  });

  test('every page is listed for language models, as Markdown', () => {
    const listed = files.get('/llms.txt') ?? '';
    expect(listed).toMatch(/^# Sitefetch\n\n> .+\n\n[^#]+\n\n## Start\n\n- \[/);
    for (const path of files.keys())
      if (/^\/docs\/[\w-]+\.md$/.test(path) && path !== '/docs/reference.md')
        expect(listed).toContain(`{API_URL}${path})`);
  });

  test('no page as Markdown has tags or files of the repository', () => {
    for (const [path, text] of files)
      if (path.endsWith('.md'))
        expect(text, path).not.toMatch(/<(p|a|div|span|td)\b|\]\((\.\.\/(?!openapi)|dashboard\/|examples)/);
  });
});

const HOST = 'https://api.example';
/** Pages that the service has besides files. */
const OTHERS = ['/openapi.json', '/docs/search', '/docs/docs.css', '/docs/docs.js', '/docs/icon.svg'];

/** Where the service serves a file of the documentation. */
function urlOf(path: string): string {
  if (path === 'index.html') return '/docs';
  if (path === 'llms.txt') return '/llms.txt';
  return `/docs/${path.replace(/^pages\//, '').replace(/\.html$/, '')}`;
}

function linksIn(path: string, text: string): string[] {
  const links =
    path.endsWith('.md') || path.endsWith('.txt')
      ? text.replace(/```.*?```/gs, '').matchAll(/\]\(([^)\s]+)\)/g)
      : text.matchAll(/ (?:href|src|action)="([^"]*)"/g);
  return [...links].map(([, link = '']) => link.replace('{API_URL}', HOST));
}

function leadsSomewhere(files: ReadonlyMap<string, string>, { origin, pathname, hash }: URL): boolean {
  if (origin !== HOST || OTHERS.includes(pathname)) return true;
  const page = files.get(pathname);
  const place = hash === '' ? page : files.get(pathname.replace(/\.md$/, ''));
  return page !== undefined && (hash === '' || (place ?? '').includes(` id="${hash.slice(1)}"`));
}
