import { z } from 'zod';

export type Json = Record<string, unknown>;

/** A schema for the OpenAPI document, without `$schema`, because the whole document has one dialect. */
export function schemaOf(type: z.ZodType): Json {
  return { ...z.toJSONSchema(type, { io: 'input', override: withoutExtras }), $schema: undefined };
}

function withoutExtras({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  // Zod gives an integer without bounds those of a double.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // Generated clients require or send every field with a default.
  delete jsonSchema.default;
}
