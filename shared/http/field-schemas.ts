import { scrapeFields } from '../contract/scrape-request.ts';
import { type Json, schemaOf } from '../contract/json-schema.ts';

/** The fields of a scrape request by name, as JSON Schema. */
export const fieldSchemas: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(scrapeFields).map(([name, field]) => [name, schemaOf(field)]),
);
