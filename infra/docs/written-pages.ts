import { headerComponents } from '../../shared/api/openapi/headers.ts';
import { ErrorBody } from '../../shared/contract/error-body.ts';
import { schemaOf } from '../../shared/contract/json-schema.ts';
import { catalogue, errorCodes } from '../../shared/errors.ts';
import { programs } from './examples.ts';
import { guideList } from './guide-list.ts';
import type { GuidePage } from './guide-pages.ts';
import { fieldRows } from './operation-markdown.ts';
import { operations, operationTags } from './reference.ts';
import { Header, ObjectSchema, Parameter, typeOf } from './schema.ts';

/** Pages of the reference that are lists, as Markdown: operations, headers, errors and whole programs. */
export async function writtenPages(): Promise<GuidePage[]> {
  return [
    {
      name: 'reference',
      title: 'Reference',
      about: 'All operations of the API',
      markdown: `# Reference\n\nAll operations, as in the [OpenAPI document](../openapi.json).\n\n${operationTags.map(tagged).join('\n')}`,
    },
    {
      name: 'headers',
      title: 'Headers',
      about: 'Headers of requests and responses',
      markdown: `# Headers\n\n## Request headers\n\n${requestHeaders()}\n\n## Response headers\n\n${responseHeaders()}\n`,
    },
    {
      name: 'errors',
      title: 'Errors',
      about: 'All error codes',
      markdown: `# Errors\n\n${ERRORS}\n\n${codeList()}\n\n## Fields of the error body\n\n${errorFields()}\n`,
    },
    { name: 'programs', title: 'Whole programs', about: 'In three languages', markdown: await allPrograms() },
  ];
}

function tagged(tag: string): string {
  const links = operations
    .filter((route) => route.tag === tag)
    .map(
      ({ operationId, summary, method, path }) => `- [${summary}](${operationId}.md) \`${method} ${path}\``,
    );
  return `## ${tag}\n\n${links.join('\n')}\n`;
}

function requestHeaders(): string {
  const sent = operations.flatMap(({ parameters }) => parameters.map((it) => Parameter.parse(it)));
  const byName = new Map(sent.filter((it) => it.in === 'header').map((it) => [it.name, it]));
  return [...byName.values()]
    .map(({ name, description, schema, example }) =>
      headerEntry(name, example ?? typeOf(schema), description),
    )
    .join('\n\n');
}

function responseHeaders(): string {
  return Object.entries(headerComponents)
    .map(([name, header]) => {
      const { description, example } = Header.parse(header);
      return headerEntry(name, example, description);
    })
    .join('\n\n');
}

const headerEntry = (name: string, example: unknown, description: string) =>
  `### ${name}\n\n\`${String(example)}\` ${description}`;

const ERRORS =
  'Every error has the same flat JSON body and costs nothing. Each code has a page that says why it happens and what to do.';

function codeList(): string {
  const entries = errorCodes.map((code) => {
    const { status, message, retryable } = catalogue[code];
    return `- [\`${code}\`](errors/${code}.md) ${status}${retryable ? ', retryable' : ''}: ${message}`;
  });
  return entries.join('\n');
}

const errorFields = () => fieldRows(ObjectSchema.parse(schemaOf(ErrorBody)));

async function allPrograms(): Promise<string> {
  const each = (await programs()).map(
    ({ label, language, code }) => `## ${label}\n\n\`\`\`${language}\n${code.trim()}\n\`\`\`\n`,
  );
  return `# Whole programs\n\n${PROGRAMS}\n\n${each.join('\n')}`;
}

const PROGRAMS =
  'Each fetches a page twice, with a sync scrape and as a job, and retries temporary errors. `SITEFETCH_URL` is the base URL of the API and `SITEFETCH_KEY` a key.';

/** Stands for the URL of the API, which only the deployed function knows. */
const API_URL = '{API_URL}';

const SUMMARY = `# Sitefetch

> Send a URL, get the page: plain or rendered in Chromium, as HTML, Markdown, text, links, values, screenshot or PDF; at once, as a job, or for a whole site as a crawl.

Send \`Authorization: Bearer <key>\`. A page costs 1 credit, 5 rendered; errors cost nothing. Every error is JSON with a \`code\`, a \`message\` that says what to do, and a \`doc_url\`; add \`.md\` to it for Markdown. [Search](${API_URL}/docs/search?q=retry+webhook) with \`Accept: text/markdown\`.`;

/** The pages for language models, as https://llmstxt.org describes. */
export function llmsText(): string {
  const link = (title: string, path: string, about: string) => `- [${title}](${API_URL}/${path}): ${about}`;
  const guide = Object.entries(guideList).map(([group, entries]) => {
    const links = entries.map(({ name, title, about }) => link(title, `docs/${name}.md`, about));
    return `## ${group}\n\n${links.join('\n')}`;
  });
  const reference = [
    link('OpenAPI without examples', 'openapi.json?examples=false', 'All operations, for programs'),
    link('Headers', 'docs/headers.md', 'Of requests and responses'),
    link('Errors', 'docs/errors.md', 'All codes; each has its page'),
    ...operations.map(({ operationId, summary, method, path }) =>
      link(summary, `docs/${operationId}.md`, `\`${method} ${path}\``),
    ),
  ];
  const others = link('Whole programs', 'docs/programs.md', 'curl, Node.js and Python');
  return `${[SUMMARY, ...guide, `## Reference\n\n${reference.join('\n')}`, `## Optional\n\n${others}`].join('\n\n')}\n`;
}
