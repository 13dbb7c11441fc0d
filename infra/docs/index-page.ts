import { codeBlock } from './code-block.ts';
import { guideContents } from './contents.ts';
import { type Snippet, snippetsOf } from './examples.ts';
import { guideList } from './guide-list.ts';
import { html, type Html } from './html.ts';
import { page, searchForm } from './page.ts';
import { operations, operationTags } from './reference.ts';
import { tabs } from './tabs.ts';

/** The start of the documentation: a first call, and all pages. */
export async function indexPage(version: string): Promise<string> {
  return page({
    title: 'Sitefetch documentation',
    version,
    root: './',
    contents: guideContents(),
    main: html`${hero(await snippetsOf('scrape'))} ${guide()} ${reference()}`,
    markdown: 'llms.txt',
  });
}

function hero(snippets: readonly Snippet[]): Html {
  return html`<section class="hero" aria-labelledby="title">
    <h1 id="title">Send a URL, get the page.</h1>
    <p class="lead">Sitefetch fetches pages for you, plain or rendered in Chromium, at once or as a job.</p>
    ${searchForm('./', 'All pages')}
    <h2 id="variables">A first call</h2>
    <p>
      Set these two variables and the examples run unchanged. Those of a single job also read
      <code>JOB_ID</code>, those of a batch <code>BATCH_ID</code>, and those of a crawl <code>CRAWL_ID</code>.
    </p>
    ${codeBlock('export SITEFETCH_URL=https://api.example\nexport SITEFETCH_KEY=sf_...', 'Variables')}
    ${tabs('start', snippets)}
  </section>`;
}

function guide(): Html {
  const groups = Object.entries(guideList).map(
    ([title, entries]) =>
      html`<h2>${title}</h2>
        <dl class="pages">
          ${entries.map(
            ({ name, title: label, about }) =>
              html`<div>
                <dt><a href="docs/${name}">${label}</a></dt>
                <dd>${about}</dd>
              </div>`,
          )}
        </dl>`,
  );
  return html`<section class="hero">${groups}</section>`;
}

function reference(): Html {
  const rows = operationTags.map((tag) => {
    const links = operations
      .filter((route) => route.tag === tag)
      .map(({ operationId, summary }) => html`<li><a href="docs/${operationId}">${summary}</a></li>`);
    return html`<h3>${tag}</h3>
      <ul class="operations">
        ${links}
      </ul>`;
  });
  return html`<section class="hero">
    <h2>Reference</h2>
    <p>
      Each operation with a form to try it. Also: <a href="docs/headers">headers</a>,
      <a href="docs/errors">errors</a>, <a href="docs/programs">whole programs</a>, the
      <a href="openapi.json">OpenAPI document</a> and, for language models, <a href="llms.txt">llms.txt</a>.
    </p>
    ${rows}
  </section>`;
}
