import { z } from 'zod';

export type Json = Record<string, unknown>;

const written = new WeakMap<z.ZodType, Json>();

/**
 * A schema for the OpenAPI document, without `$schema`, because the whole document has one dialect.
 * It is written once per type: that takes 3 ms, and each refused line of an upload is explained by one.
 */
export function schemaOf(type: z.ZodType): Json {
  const known = written.get(type);
  if (known) return known;
  const schema = { ...z.toJSONSchema(type, { io: 'input', override: withoutExtras }), $schema: undefined };
  written.set(type, schema);
  return schema;
}

function withoutExtras({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  // Zod gives an integer without bounds the bounds of a double.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // Generated clients require or send every field with a default.
  delete jsonSchema.default;
}
