import type { Route } from '../../shared/api/route.ts';
import type { Snippet } from './examples.ts';
import { bodyObjects, ownFields, type Titled } from './objects.ts';
import { type ObjectSchema, Parameter, Response, typeOf } from './schema.ts';

/** An operation for programs that read Markdown: what its page shows, without forms. */
export function operationMarkdown(route: Route, snippets: readonly Snippet[]): string {
  const { method, path, summary, description, auth, errors } = route;
  const parts = [
    `# ${summary}`,
    `\`${method} ${path}\``,
    description,
    ...(auth === 'none' ? ['Needs no API key.'] : []),
    ...parameters(route),
    ...objects(bodyObjects(route)),
    ...objects(ownFields(route)),
    `## Responses\n\n${responses(route)}`,
    `## Errors\n\n${errors.map((code) => `[\`${code}\`](errors/${code}.md)`).join(', ')}`,
    ...snippets
      .slice(0, 1)
      .map(({ language, code }) => `## Example\n\n\`\`\`${language}\n${code.trim()}\n\`\`\``),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The fields of an object as a table. */
export function fieldRows({ properties, required }: ObjectSchema): string {
  const rows = Object.entries(properties).map(([name, schema]) =>
    row(name, `${typeOf(schema)}${required.includes(name) ? ', required' : ''}`, schema.description),
  );
  return table('Field', rows);
}

function parameters({ parameters }: Route): string[] {
  const rows = parameters.map((parameter) => {
    const { name, in: place, schema, description } = Parameter.parse(parameter);
    return row(name, `${place}, ${typeOf(schema)}`, description);
  });
  return rows.length === 0 ? [] : [`## Parameters\n\n${table('Name', rows)}`];
}

const objects = (titled: readonly Titled[]) =>
  titled.map(({ title, schema }) => `## ${title}\n\n${fieldRows(schema)}`);

function responses({ responses }: Route): string {
  return Object.entries(responses)
    .map(([status, json]) => `- ${status}: ${Response.parse(json).description}`)
    .join('\n');
}

const row = (name: string, type: string, meaning = '') =>
  `| \`${name}\` | ${type} | ${meaning.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')} |`;

const table = (first: string, rows: readonly string[]) =>
  [`| ${first} | Type | Meaning |`, '| --- | --- | --- |', ...rows].join('\n');
