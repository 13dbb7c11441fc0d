import { createHash } from 'node:crypto';

type Parameter = { name: string; in: string; schema: object; description?: string };
type Document = {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, { operationId: string; parameters?: Parameter[] }>>;
  components: { schemas: Record<string, object> };
};

/** Of the OpenAPI document, what the client's types are made of: its schemas, and one for each query. */
export function describedTypes(text: string): string {
  const { openapi, info, paths, components } = JSON.parse(text) as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const queries = operations.flatMap(({ operationId, parameters = [] }) => {
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const properties = inQuery.map(({ name, schema, description }) => [name, { ...schema, description }]);
    const schema = { type: 'object', properties: Object.fromEntries(properties) as object };
    return inQuery.length === 0 ? [] : [[`${operationId}Query`, schema]];
  });
  const schemas = { ...components.schemas, ...(Object.fromEntries(queries) as object) };
  return JSON.stringify({ openapi, info, paths: {}, components: { schemas } });
}

/** The first line of the generated file: whether it is current shows without the generator. */
export const headerOf = (described: string): string =>
  `// Written by npm run openapi; ${createHash('sha256').update(described).digest('hex')}`;
