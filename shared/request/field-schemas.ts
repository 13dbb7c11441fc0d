import { type Json, schemaOf } from '../contract/json-schema.ts';
import { ScrapeRequest } from '../contract/scrape/scrape-request.ts';

export const requestSchema = schemaOf(ScrapeRequest);

export const fieldSchemas = requestSchema.properties as Readonly<Record<string, Json | undefined>>;
