import { always, usage } from '../../shared/api/openapi/header-groups.ts';
import type { Route } from '../../shared/api/route.ts';
import { catalogue } from '../../shared/errors.ts';
import { codeBlock } from './code-block.ts';
import type { Snippet } from './examples.ts';
import { definitionRow, definitionTable } from './definition-table.ts';
import { slug } from './headings.ts';
import { html, type Html } from './html.ts';
import { inline } from './markdown.ts';
import { bodyFields, isScrapeField, responseFields } from './objects.ts';
import { FIRST_ERROR, Parameter, Response, typeOf } from './schema.ts';
import { tabs } from './tabs.ts';
import { tryIt } from './try-it.ts';

const COMMON: readonly string[] = [...always, ...usage];

/** One operation: its parameters on the left, an example call on the right of a wide screen. */
export function operationArticle(route: Route, snippets: readonly Snippet[]): Html {
  const { operationId, method, path, summary, description, auth } = route;
  return html`<article class="operation">
    <h1>${summary}</h1>
    <p class="address"><span class="method">${method}</span> <code>${path}</code></p>
    <div class="split">
      <div>
        <p>${inline(description)}</p>
        ${auth === 'none' ? html`<p>Needs no API key.</p>` : undefined} ${input(route)} ${bodyFields(route)}
        ${responseFields(route)}
        <h2>Responses</h2>
        ${responses(route)} ${errors(route)}
      </div>
      <div class="aside">
        ${tabs(operationId, snippets)}
        <p class="note">
          It reads <a href="../docs#variables">variables</a>; the clients for
          <a href="typescript">TypeScript</a> and <a href="python">Python</a> are packages.
        </p>
        ${exampleResponse(route)} ${tryIt(route)}
      </div>
    </div>
  </article>`;
}

/** Parameters. Fields of the JSON body and headers are described in one place only. */
function input({ parameters }: Route): Html {
  const all = parameters.map((parameter) => Parameter.parse(parameter));
  const names = (place: Parameter['in']) => [
    ...new Set(all.flatMap((it) => (it.in === place ? [it.name] : []))),
  ];
  const query = all.filter((it) => it.in === 'query' && !isScrapeField(it.name));
  const fields = names('query').filter(isScrapeField);
  const headers = names('header');
  const paths = all.filter((it) => it.in === 'path');
  return html`${paths.length > 0 ? definitionTable('Path parameters', 'Name', paths.map(row)) : undefined}
  ${query.length > 0 ? definitionTable('Query parameters', 'Name', query.map(row)) : undefined}
  ${fields.length > 0 ? html`<p>Query parameters: ${links((name) => `scrape#field-${name}`, fields)}</p>` : undefined}
  ${headers.length > 0 ? html`<p>Request headers: ${links(headerPlace, headers)}</p>` : undefined}`;
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
        ${own.length > 0 ? html`<br /><small>${links(headerPlace, own)}</small>` : undefined}
      </dd>`;
  });
  return html`<dl class="responses">${rows}</dl>`;
}

function errors(route: Route): Html {
  const byStatus = Object.entries(Object.groupBy(route.errors, (code) => catalogue[code].status));
  const rows = byStatus.map(([status, codes = []]) => {
    const each = codes.map((code) => html`<a href="errors/${code}"><code>${code}</code></a> `);
    return html`<dt><b class="status">${status}</b></dt>
      <dd>${each}</dd>`;
  });
  return html`<h2>Errors</h2>
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

const headerPlace = (name: string) => `headers#${slug(name)}`;

function links(placeOf: (name: string) => string, names: readonly string[]): Html {
  return html`${names.map((name) => html`<a href="${placeOf(name)}"><code>${name}</code></a> `)}`;
}
