import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { type ErrorCode, errorCodes } from '../../shared/errors.ts';
import { guideContents, operationContents } from './contents.ts';
import { errorText } from './error-list.ts';
import { errorPage } from './error-page.ts';
import { snippetsOf } from './examples.ts';
import { type GuidePage, guidePages } from './guide-pages.ts';
import { html, type Html, raw } from './html.ts';
import { indexPage } from './index-page.ts';
import { markup } from './markdown.ts';
import { operationMarkdown } from './operation-markdown.ts';
import { operationArticle } from './operation.ts';
import { page } from './page.ts';
import { operations } from './reference.ts';
import { searchIndex } from './search-index.ts';
import { llmsText, writtenPages } from './written-pages.ts';

const { version } = manifest;

/** A page and the same as Markdown; its name has no suffix. */
type Written = GuidePage & { html: string };

/** Writes what `/docs` serves: its pages, each also as Markdown, and the index of its search. */
export async function writeDocs(into: string): Promise<void> {
  const guide = await allGuidePages();
  const reference = await Promise.all(operations.map(operationPage));
  const errors = errorCodes.map(errorPageOf);
  await mkdir(join(into, 'pages'), { recursive: true });
  await mkdir(join(into, 'errors'), { recursive: true });
  const files: Record<string, string> = {
    'index.html': await indexPage(version),
    'search.html': searchPage(),
    'search.json': searchIndex(guide, [...reference, ...errors.map(inErrors)]),
    'llms.txt': llmsText(),
    ...Object.fromEntries([...guide, ...reference].flatMap((each) => filesOf('pages', each))),
    ...Object.fromEntries(errors.flatMap((each) => filesOf('errors', each))),
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(into, name), text)));
}

const inErrors = (error: Written) => ({ ...error, name: `errors/${error.name}` });

const filesOf = (folder: string, { name, html: markup, markdown }: Written): [string, string][] => [
  [`${folder}/${name}.html`, markup],
  [`${folder}/${name}.md`, markdown],
];

async function allGuidePages(): Promise<Written[]> {
  const all = [...(await guidePages()), ...(await writtenPages())];
  return all.map((each) => ({ ...each, html: guidePage(each, all) }));
}

/** A page written in Markdown, with links to the pages before and after it. */
function guidePage(current: GuidePage, all: readonly GuidePage[]): string {
  const { name, title, markdown } = current;
  const index = all.indexOf(current);
  return page({
    title: `${title} · Sitefetch`,
    version,
    root: '../',
    contents: guideContents(current),
    main: html`<article class="guide">
      ${markup(markdown)} ${neighbours(all[index - 1], all[index + 1])}
    </article>`,
    markdown: `${name}.md`,
  });
}

function neighbours(before: GuidePage | undefined, after: GuidePage | undefined): Html {
  const link = (rel: string, mark: Html, to: GuidePage | undefined) =>
    to && html`<a rel="${rel}" href="${to.name}">${mark} ${to.title}</a>`;
  return html`<nav class="neighbours" aria-label="Pages before and after">
    ${link('prev', html`<span aria-hidden="true">←</span>`, before)}
    ${link('next', html`<span aria-hidden="true">→</span>`, after)}
  </nav>`;
}

async function operationPage(route: (typeof operations)[number]): Promise<Written> {
  const { operationId: name, summary: title, method, path } = route;
  const snippets = await snippetsOf(name);
  const document = page({
    title: `${title} · Sitefetch API`,
    version,
    root: '../',
    contents: operationContents(name),
    main: operationArticle(route, snippets),
    markdown: `${name}.md`,
  });
  const about = `${method} ${path}`;
  return { name, title, about, markdown: operationMarkdown(route, snippets), html: document };
}

function errorPageOf(code: ErrorCode): Written {
  const markdown = `# ${code}\n\n${errorText(code)}\n`;
  return { name: code, title: code, about: 'An error', markdown, html: errorPage(code, version) };
}

/** The page around the results of a search, which the function puts in. */
function searchPage(): string {
  const main = html`<article class="guide">
    <h1>Search</h1>
    ${raw(RESULTS)}
  </article>`;
  return page({ title: 'Search · Sitefetch', version, root: '../', contents: guideContents(), main });
}

/** Stands for the results of a search. */
const RESULTS = '<!--results-->';
