import { z } from 'zod';

export type Schema = z.core.JSONSchema.JSONSchema;
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
};
type Header = { required?: boolean; schema: Schema };
type Answer = {
  headers: Record<string, Header>;
  content?: Record<string, { schema: Schema }>;
};

export type Operation = {
  operationId: string;
  method: string;
  path: string;
  needsKey: boolean;
  parameters: Parameter[];
  body: Schema | undefined;
  responses: Record<string, Answer>;
};

type Described = Omit<Operation, 'needsKey' | 'body'> & {
  security?: unknown[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

/** The operations of an OpenAPI document, with every reference resolved. */
export function operationsOf(document: unknown): Operation[] {
  const { paths } = resolved(document, document) as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, requestBody, parameters, ...more }]) => ({
      ...more,
      method: method.toUpperCase(),
      path,
      needsKey: security?.length !== 0,
      parameters: (parameters as Parameter[] | undefined) ?? [],
      body: requestBody?.content['application/json']?.schema,
    })),
  );
}

/** Headers of HTTP itself, and those on every response for browsers. */
const NOT_DESCRIBED =
  /^(content-type|(x-amzn-remapped-)?content-length|x-content-type-options|cache-control|date|connection|keep-alive|transfer-encoding)$/;
/** Headers of every response to a caller with a key. */
const OF_CALLER = /^(x-credits-remaining|x-?ratelimit.*)$/i;

/** The differences between a response and its description. Empty if they agree. */
export async function deviations(
  { needsKey, responses }: Pick<Operation, 'needsKey' | 'responses'>,
  answer: Response,
): Promise<string[]> {
  const described = responses[answer.status];
  if (described === undefined) return [`status ${answer.status} is not described`];
  const names = new Map(Object.keys(described.headers).map((name) => [name.toLowerCase(), name]));
  const surplus = [...answer.headers.keys()].filter((name) => !NOT_DESCRIBED.test(name) && !names.has(name));
  const headers = Object.entries(described.headers).flatMap(([name, { required, schema }]) => {
    const value = answer.headers.get(name);
    if (value !== null) return matches(schema, typed(schema, value)) ? [] : [`header ${name}: ${value}`];
    const isExpected = required ?? (needsKey && OF_CALLER.test(name));
    return isExpected ? [`header ${name} is missing`] : [];
  });
  return [
    ...surplus.map((name) => `header ${name} is not described`),
    ...headers,
    ...(await bodyDeviations(described, answer)),
  ];
}

async function bodyDeviations({ content = {} }: Answer, answer: Response): Promise<string[]> {
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  const media = content[type] ?? content['*/*'];
  if (media === undefined) {
    return Object.keys(content).length === 0 ? [] : [`content type "${type}" is not described`];
  }
  const { schema } = media;
  if (type !== 'application/json' || schema.type !== 'object') return [];
  const body = (await answer.json()) as object;
  const closed = { additionalProperties: false, ...schema };
  return matches(closed, body) ? [] : [`body ${JSON.stringify(body)}`];
}

function matches(schema: Schema, value: unknown): boolean {
  return z.fromJSONSchema(schema).safeParse(value).success;
}

function typed(schema: Schema, text: string): unknown {
  return schema.type === 'integer' || schema.type === 'number' ? Number(text) : text;
}

/** A reference inside of what it refers to stands for any value. */
function resolved(node: unknown, document: unknown, within: readonly string[] = []): unknown {
  if (Array.isArray(node)) return node.map((item) => resolved(item, document, within));
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) {
    const pointer = String(node.$ref);
    return within.includes(pointer) ? {} : resolved(at(document, pointer), document, [...within, pointer]);
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, resolved(value, document, within)]),
  );
}

function at(document: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce((node, key) => (node as Record<string, unknown>)[key], document);
}
