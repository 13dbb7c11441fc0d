import type { Json } from '../../contract/json-schema.ts';

/** Component schemas, with the definitions inside them as components: references count from the root. */
export function hoisted(schemas: Readonly<Record<string, Json>>): Record<string, Json> {
  const all = Object.entries(schemas).flatMap(([name, { $defs = {}, ...schema }]) => [
    ...Object.entries($defs as Record<string, Json>),
    [name, schema] as const,
  ]);
  const text = JSON.stringify(Object.fromEntries(all)).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Record<string, Json>;
}
