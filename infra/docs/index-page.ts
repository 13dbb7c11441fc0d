import { readFile } from 'node:fs/promises';
import { headerComponents } from '../../shared/api/openapi/headers.ts';
import { schemaOf } from '../../shared/contract/json-schema.ts';
import { ErrorBody } from '../../shared/contract/error-body.ts';
import { catalogue, errorCodes } from '../../shared/errors.ts';
import { codeBlock } from './code-block.ts';
import { programs, type Snippet, snippetsOf } from './examples.ts';
import { fieldTable } from './field-table.ts';
import { definitionRow, definitionTable } from './definition-table.ts';
import { html, type Html } from './html.ts';
import { type Section, sectionsOf } from './markdown.ts';
import { operationSection } from './operation.ts';
import { type Contents, page } from './page.ts';
import { operations, operationTags } from './reference.ts';
import { Header, ObjectSchema, Parameter, typeOf } from './schema.ts';
import { tabs } from './tabs.ts';

const GUIDE = new URL('../../docs/api-guide.md', import.meta.url);
const OUTPUTS = new URL('../../docs/outputs.md', import.meta.url);
const SCENARIOS = new URL('../../docs/scenarios.md', import.meta.url);
const WEBHOOKS = new URL('../../docs/webhooks.md', import.meta.url);

export async function indexPage(version: string): Promise<string> {
  const guide = sectionsOf(await readFile(GUIDE, 'utf8'), linkFromGuide);
  const outputs = sectionsOf(await readFile(OUTPUTS, 'utf8'), linkFromGuide);
  const scenarios = sectionsOf(await readFile(SCENARIOS, 'utf8'), linkFromGuide);
  const webhooks = sectionsOf(await readFile(WEBHOOKS, 'utf8'), linkFromGuide);
  const snippets = new Map<string, Snippet[]>();
  for (const { operationId } of operations) snippets.set(operationId, await snippetsOf(operationId));
  const main = html`${hero(snippets.get('scrape') ?? [])} ${guide.map(guideSection)} ${await wholePrograms()}
  ${[...outputs, ...scenarios, ...webhooks].map(guideSection)}
  ${operationTags.map(
    (tag) =>
      html`<h2 class="part" id="${tag.toLowerCase()}">${tag}</h2>
        ${operations
          .filter((route) => route.tag === tag)
          .map((route) => operationSection(route, snippets.get(route.operationId) ?? []))}`,
  )}
  ${headersSection()} ${errorsSection()}`;
  return page({
    title: 'Sitefetch API',
    version,
    root: './',
    contents: contents({ guide, outputs, scenarios, webhooks }),
    main,
  });
}

function hero(snippets: readonly Snippet[]): Html {
  return html`<section class="hero" aria-labelledby="title">
    <h1 id="title">Send a URL, get the page.</h1>
    <p class="lead">
      Sitefetch fetches pages for you, plain or rendered in Chromium, at once or as a job. Set these two
      variables and the examples run as they are. Those of a single job also read <code>JOB_ID</code>, and
      those of a batch <code>BATCH_ID</code>, those of a crawl <code>CRAWL_ID</code>.
    </p>
    ${codeBlock('export SITEFETCH_URL=https://api.example\nexport SITEFETCH_KEY=sf_...', 'Variables')}
    ${tabs('start', snippets)}
  </section>`;
}

function guideSection({ id, title, body }: Section): Html {
  return html`<section class="guide" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${body}
  </section>`;
}

/** The guide's links to files of the repository lead to the sections that show them here. */
function linkFromGuide(href: string): string {
  if (href.startsWith('examples/')) return '#programs';
  return href
    .replace(/^(errors|batches|crawls)\.md(#.*)?$/, '#$1')
    .replace(/^webhooks\.md$/, '#receive-an-event')
    .replace(/^scenarios\.md$/, '#drive-a-page')
    .replace(/^outputs\.md$/, '#formats')
    .replace(/^(api-guide|outputs|scenarios)\.md#/, '#');
}

async function wholePrograms(): Promise<Html> {
  const each = (await programs()).map(
    ({ label, code }) =>
      html`<details>
        <summary>${label}</summary>
        ${codeBlock(code, `Whole program: ${label}`)}
      </details>`,
  );
  return html`<section class="guide" aria-labelledby="programs">
    <h2 id="programs">Whole programs</h2>
    <p>Each fetches a page twice, with a sync scrape and as a job, and retries temporary errors.</p>
    ${each}
  </section>`;
}

function headersSection(): Html {
  const sent = operations.flatMap(({ parameters }) => parameters.map((it) => Parameter.parse(it)));
  const byName = new Map(sent.filter((it) => it.in === 'header').map((it) => [it.name, it]));
  return html`<section aria-labelledby="headers">
    <h2 class="part" id="headers">Headers</h2>
    ${definitionTable(
      'Request headers',
      'Header',
      [...byName.values()].map(({ name, description, schema, example }) =>
        headerRow('request', name, example ?? typeOf(schema), description),
      ),
    )}
    ${definitionTable(
      'Response headers',
      'Header',
      Object.entries(headerComponents).map(([name, header]) => {
        const { description, example } = Header.parse(header);
        return headerRow('header', name, example, description);
      }),
    )}
  </section>`;
}

function headerRow(kind: string, name: string, example: unknown, description: string): Html {
  return definitionRow(`${kind}-${name}`, html`<code>${name}</code>`, html`${String(example)}`, description);
}

function errorsSection(): Html {
  const rows = errorCodes.map((code) => {
    const { status, message, retryable } = catalogue[code];
    const name = html`<a href="docs/errors/${code}"><code>${code}</code></a>`;
    return definitionRow(undefined, name, html`${status}${retryable ? ', retryable' : undefined}`, message);
  });
  return html`<section aria-labelledby="errors">
    <h2 class="part" id="errors">Errors</h2>
    <p>
      Every error has the same flat JSON body and costs nothing. Each code has a page that says why it happens
      and what to do.
    </p>
    ${definitionTable('Error codes', 'Code', rows)}
    ${fieldTable('Fields of the error body', ObjectSchema.parse(schemaOf(ErrorBody)))}
  </section>`;
}

type Sections = readonly Section[];

function contents(parts: Record<'guide' | 'outputs' | 'scenarios' | 'webhooks', Sections>): Contents {
  const { guide, outputs, scenarios, webhooks } = parts;
  const linksTo = (sections: readonly Section[]) =>
    sections.map(({ id, title }) => ({ href: `#${id}`, label: title }));
  return [
    {
      title: 'Guide',
      links: [
        { href: '#title', label: 'Start' },
        ...linksTo(guide),
        { href: '#programs', label: 'Whole programs' },
      ],
    },
    { title: 'Outputs', links: linksTo(outputs) },
    { title: 'Scenarios', links: linksTo(scenarios) },
    { title: 'Events', links: linksTo(webhooks) },
    ...operationTags.map((tag) => ({
      title: tag,
      links: operations
        .filter((route) => route.tag === tag)
        .map(({ operationId, summary }) => ({ href: `#${operationId}`, label: summary })),
    })),
    {
      title: 'Details',
      links: [
        { href: '#headers', label: 'Headers' },
        { href: '#errors', label: 'Errors' },
      ],
    },
  ];
}
