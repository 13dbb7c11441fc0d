import { z } from 'zod';

export type Json = Record<string, unknown>;

/** A schema as the document has it: without `$schema`, for the whole is of one dialect, and without bounds that say nothing. */
export function schemaOf(type: z.ZodType): Json {
  return { ...z.toJSONSchema(type, { io: 'input', override: dropSafeBounds }), $schema: undefined };
}

/** An integer without bounds of its own has those of a double in JSON Schema. */
function dropSafeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
