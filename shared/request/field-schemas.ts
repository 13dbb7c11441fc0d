import { type Json, schemaOf } from '../contract/json-schema.ts';
import { ScrapeRequest } from '../contract/scrape-request.ts';

/** A scrape request as JSON Schema. */
export const requestSchema = schemaOf(ScrapeRequest);

/** Its fields by name. */
export const fieldSchemas = requestSchema.properties as Readonly<Record<string, Json | undefined>>;
