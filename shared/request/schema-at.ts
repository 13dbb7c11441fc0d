import type { Json } from '../contract/json-schema.ts';

export type Path = readonly PropertyKey[];

/** The alternatives of JSON Schema for the value at `path`, with references followed and unions opened. */
export function schemasAt(root: Json, path: Path): Json[] {
  return path.reduce<Json[]>(
    (schemas, key) => schemas.flatMap((schema) => alternatives(root, inside(schema, key))),
    alternatives(root, root),
  );
}

export function namesAt(root: Json, path: Path): string[] {
  return schemasAt(root, path).flatMap(({ properties }) =>
    Object.keys((properties as Json | undefined) ?? {}),
  );
}

/** The part of a path that names fields: the keys of a map of texts, such as headers, are values. */
export function fieldPath(root: Json, path: Path): Path {
  let schemas = alternatives(root, root);
  for (const [depth, key] of path.entries()) {
    if (schemas.some(isMapOfTexts)) return path.slice(0, depth);
    schemas = schemas.flatMap((schema) => alternatives(root, inside(schema, key)));
  }
  return path;
}

const isMapOfTexts = ({ additionalProperties }: Json) =>
  (additionalProperties as Json | undefined)?.['type'] === 'string';

function inside({ properties, prefixItems, items, additionalProperties }: Json, key: PropertyKey): unknown {
  if (typeof key === 'number') return (prefixItems as Json[] | undefined)?.[key] ?? items;
  const fields = (properties as Json | undefined) ?? {};
  const name = String(key);
  return Object.hasOwn(fields, name) ? fields[name] : additionalProperties;
}

function alternatives(root: Json, schema: unknown): Json[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { $ref: reference, anyOf, oneOf } = schema as { $ref?: string; anyOf?: Json[]; oneOf?: Json[] };
  if (reference !== undefined) return alternatives(root, resolve(root, reference));
  const options = anyOf ?? oneOf;
  return options ? options.flatMap((option) => alternatives(root, option)) : [schema as Json];
}

function resolve(root: Json, reference: string): unknown {
  const keys = reference.split('/').slice(1);
  return keys.reduce<unknown>((node, key) => (node as Json | undefined)?.[key], root);
}
