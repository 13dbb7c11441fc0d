import { always, usage } from '../../shared/api/openapi/header-groups.ts';
import type { Route } from '../../shared/api/route.ts';
import { AccountView, UsageView } from '../../shared/contract/accounts/account-view.ts';
import { ActivityView } from '../../shared/contract/accounts/activity.ts';
import { schemaOf } from '../../shared/contract/json-schema.ts';
import { JobView, SubmittedJob } from '../../shared/contract/jobs/job.ts';
import { Picture } from '../../shared/contract/scrape/part.ts';
import { JobRequest } from '../../shared/contract/jobs/job-request.ts';
import { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { catalogue } from '../../shared/errors.ts';
import { codeBlock } from './code-block.ts';
import type { Snippet } from './examples.ts';
import { fieldTable } from './field-table.ts';
import { definitionRow, definitionTable } from './definition-table.ts';
import { html, type Html, joined } from './html.ts';
import { inline } from './markdown.ts';
import { ObjectSchema, Parameter, Response, typeOf } from './schema.ts';
import { tabs } from './tabs.ts';
import { tryIt } from './try-it.ts';

const COMMON: readonly string[] = [...always, ...usage];

/** The JSON objects that operations send and receive, each described under its operation. */
const OBJECTS: Readonly<Record<string, () => Html>> = {
  scrape: () =>
    joined(
      [
        fieldTable('Fields of the JSON body', scrapeFields(false), true),
        html`<details>
          <summary>Fields that need a browser</summary>
          ${fieldTable('Fields that need a browser', scrapeFields(true), true)}
        </details>`,
      ],
      '',
    ),
  submitJob: () =>
    joined(
      [
        fieldTable('Further fields of the JSON body', fieldsOfJobs()),
        fieldTable('Fields of the response', ObjectSchema.parse(schemaOf(SubmittedJob))),
      ],
      '',
    ),
  getJob: () => fieldTable('Fields of the job', ObjectSchema.parse(schemaOf(JobView))),
  getAccount: () => fieldTable('Fields of the response', ObjectSchema.parse(schemaOf(AccountView))),
  getUsage: () => fieldTable('Fields of the response', ObjectSchema.parse(schemaOf(UsageView))),
  getActivity: () => fieldTable('Fields of each scrape', ObjectSchema.parse(schemaOf(ActivityView))),
};

const SCRAPE_FIELDS = ObjectSchema.parse(schemaOf(ScrapeRequest)).properties;

/** The fields of a scrape that need a browser, or the others. */
function scrapeFields(needBrowser: boolean): ObjectSchema {
  const { properties, required } = ObjectSchema.parse(schemaOf(ScrapeRequest));
  const chosen = Object.entries(properties).filter(
    ([name, { description = '' }]) =>
      (/Only with `render_js`/.test(description) || name in Picture.enum) === needBrowser,
  );
  return { properties: Object.fromEntries(chosen), required: needBrowser ? [] : required };
}

/** The fields of a job besides those of a scrape. */
function fieldsOfJobs(): ObjectSchema {
  const { properties } = ObjectSchema.parse(schemaOf(JobRequest));
  const further = Object.entries(properties).filter(([name]) => !(name in SCRAPE_FIELDS));
  return { properties: Object.fromEntries(further), required: [] };
}

/** One operation: its parameters on the left, an example call on the right of a wide screen. */
export function operationSection(route: Route, snippets: readonly Snippet[]): Html {
  const { operationId, method, path, summary, description, auth } = route;
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
    <h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
    <p class="address"><span class="method">${method}</span> <code>${path}</code></p>
    <div class="split">
      <div>
        <p>${inline(description)}</p>
        ${auth === 'none' ? html`<p>Needs no API key.</p>` : undefined} ${input(route)}
        ${OBJECTS[operationId]?.()}
        <h4>Responses</h4>
        ${responses(route)} ${errors(route)}
      </div>
      <div class="aside">${tabs(operationId, snippets)} ${exampleResponse(route)} ${tryIt(route)}</div>
    </div>
  </section>`;
}

/** Parameters. Those that are also fields of the JSON body, and headers, are described in one place only. */
function input({ parameters, body, operationId }: Route): Html {
  const all = parameters.map((parameter) => Parameter.parse(parameter));
  const names = (place: Parameter['in']) => [
    ...new Set(all.flatMap((it) => (it.in === place ? [it.name] : []))),
  ];
  const isField = ({ name }: Parameter) => name in SCRAPE_FIELDS;
  const query = all.filter((it) => it.in === 'query' && !isField(it));
  const fields = names('query').filter((name) => name in SCRAPE_FIELDS);
  const headers = names('header');
  const paths = all.filter((it) => it.in === 'path');
  const sameBody = body !== undefined && operationId !== 'scrape';
  return html`${paths.length > 0 ? definitionTable('Path parameters', 'Name', paths.map(row)) : undefined}
  ${query.length > 0 ? definitionTable('Query parameters', 'Name', query.map(row)) : undefined}
  ${fields.length > 0 ? html`<p>Query parameters: ${links('field', fields)}</p>` : undefined}
  ${sameBody ? html`<p>The JSON body has the <a href="#scrape">fields of a scrape</a>.</p>` : undefined}
  ${headers.length > 0 ? html`<p>Request headers: ${links('request', headers)}</p>` : undefined}`;
}

function row({ name, description, schema }: Parameter): Html {
  return definitionRow(undefined, html`<code>${name}</code>`, html`${typeOf(schema)}`, description);
}

function responses(route: Route): Html {
  const rows = Object.entries(route.responses).map(([status, json]) => {
    const { description, headers } = Response.parse(json);
    const own = Object.keys(headers).filter((name) => !COMMON.includes(name));
    return html`<dt><b class="status">${status}</b></dt>
      <dd>
        ${inline(description)}
        ${own.length > 0 ? html`<br /><small>${links('header', own)}</small>` : undefined}
      </dd>`;
  });
  return html`<dl class="responses">${rows}</dl>`;
}

function errors(route: Route): Html {
  const byStatus = Object.entries(Object.groupBy(route.errors, (code) => catalogue[code].status));
  const rows = byStatus.map(([status, codes = []]) => {
    const each = codes.map((code) => html`<a href="docs/errors/${code}"><code>${code}</code></a>`);
    return html`<dt><b class="status">${status}</b></dt>
      <dd>${joined(each, ' ')}</dd>`;
  });
  return html`<h4>Errors</h4>
    <dl class="responses">${rows}</dl>`;
}

/** The first example of a JSON response; a page, which may have any format, needs none. */
function exampleResponse(route: Route): Html | undefined {
  for (const [status, json] of Object.entries(route.responses)) {
    const { '*/*': page, 'application/json': media } = Response.parse(json).content;
    if (page) continue;
    const value = Object.values(media?.examples ?? {})[0]?.value ?? media?.example;
    if (value !== undefined && Number(status) < FIRST_ERROR)
      return html`<p class="note">Response ${status}</p>
        ${codeBlock(JSON.stringify(value, null, 2), `Response ${status}`)}`;
  }
  return undefined;
}

const FIRST_ERROR = 400;

function links(kind: string, names: readonly string[]): Html {
  return joined(
    names.map((name) => html`<a href="#${kind}-${name}"><code>${name}</code></a>`),
    ' ',
  );
}
