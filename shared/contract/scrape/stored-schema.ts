import { z } from 'zod';

const Fields = z.record(z.string(), z.unknown());

/**
 * A schema as JSON, because DynamoDB takes 32 levels and no numbers from 1e126 on:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
export const StoredSchema = z.codec(z.union([z.string(), Fields]), Fields, {
  decode: (stored) => (typeof stored === 'string' ? read(stored) : stored),
  encode: (schema) => JSON.stringify(schema),
});

/** Fields of requests as sent, of which the schema is stored as JSON. */
export const StoredFields = z.codec(Fields, Fields, {
  decode: ({ extract_schema: schema, ...fields }) => ({
    ...fields,
    ...(schema !== undefined && { extract_schema: typeof schema === 'string' ? read(schema) : schema }),
  }),
  encode: ({ extract_schema: schema, ...fields }) => ({
    ...fields,
    ...(schema !== undefined && { extract_schema: JSON.stringify(schema) }),
  }),
});

const read = (stored: string) => Fields.parse(JSON.parse(stored));
