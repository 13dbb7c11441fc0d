import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

type Schema = { properties?: Record<string, object>; [key: string]: unknown };
type Parameter = { name: string; in: string; schema: object; description?: string };
type Document = {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>>;
  components: { schemas: Record<string, Schema> };
};

/** Of the OpenAPI document, what the client's types are made of: the schemas that `types.ts` names. */
export function describedTypes(text: string): string {
  const { openapi, info, paths, components } = JSON.parse(text) as Document;
  const common = commonFields(components.schemas);
  const schemas = {
    ...(JSON.parse(JSON.stringify(components.schemas, withoutFields(common))) as object),
    ScrapeFields: { type: 'object', properties: common },
    ...queriesOf(paths),
  };
  return JSON.stringify({ openapi, info, paths: {}, components: { schemas: usedOf(schemas) } });
}

/** The first line of the generated file: whether it is current shows without the generator. */
export const headerOf = (described: string): string =>
  `// Written by npm run openapi; ${createHash('sha256').update(described).digest('hex')}`;

/** The fields that a scrape, a job, a line of a batch and a crawl have in common. */
function commonFields({ ScrapeRequest, CrawlRequest }: Record<string, Schema>): Record<string, object> {
  const ofCrawl = (CrawlRequest?.properties?.['request'] as Schema | undefined)?.properties ?? {};
  const fields = Object.entries(ScrapeRequest?.properties ?? {});
  return Object.fromEntries(fields.filter(([name, schema]) => isEqual(ofCrawl[name], schema)));
}

/** Replaces the fields, where all are in a schema, by a reference: a replacer of `JSON.stringify`. */
const withoutFields = (fields: Record<string, object>) => (_: string, value: Schema | null) => {
  const properties = value?.properties ?? {};
  if (!Object.entries(fields).every(([name, schema]) => isEqual(properties[name], schema))) return value;
  const own = Object.entries(properties).filter(([name]) => !(name in fields));
  return {
    allOf: [
      { $ref: '#/components/schemas/ScrapeFields' },
      { ...value, properties: Object.fromEntries(own) as object },
    ],
  };
};

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A schema for each query, by the id of its operation. */
function queriesOf(paths: Document['paths']): Record<string, Schema> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const queries = operations.map(({ operationId, parameters = [] }) => {
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const properties = inQuery.map(({ name, schema, description }) => [name, { ...schema, description }]);
    return [`${operationId}Query`, { type: 'object', properties: Object.fromEntries(properties) as object }];
  });
  return Object.fromEntries(queries) as Record<string, Schema>;
}

/** The schemas that `types.ts` names, and what they refer to. */
function usedOf(schemas: Record<string, unknown>): object {
  const types = readFileSync(new URL('src/types.ts', import.meta.url), 'utf8');
  const used = new Set([...types.matchAll(/Schemas\['(\w+)'\]/g)].map(([, name = '']) => name));
  // A set also visits what is added meanwhile.
  for (const name of used)
    for (const [, other = ''] of JSON.stringify(schemas[name]).matchAll(/#\/components\/schemas\/(\w+)/g))
      used.add(other);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}
