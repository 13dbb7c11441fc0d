import { type Json, schemaOf } from '../../contract/json-schema.ts';
import { scrapeFields } from '../../contract/scrape-request.ts';
import { exampleJobId } from './examples.ts';

/** Parameters in headers, from their descriptions by name. */
export function inHeader(described: Readonly<Record<string, Json>>): Json[] {
  return Object.entries(described).map(([name, more]) => ({ name, in: 'header', ...more }));
}

export function inPath(name: string, described: Json): Json {
  return { name, in: 'path', required: true, ...described };
}

export const jobId = inPath('job_id', {
  description: 'What the submit answered.',
  schema: { type: 'string', format: 'uuid' },
  example: exampleJobId,
});

/** Which version or part of a result is wanted: RFC 9110 sections 13 and 14. */
export const conditions = inHeader({
  'If-None-Match': {
    description: 'The `ETag` of the page you have: 304 if it is still the same.',
    schema: { type: 'string' },
  },
  'If-Modified-Since': {
    description: 'The `Last-Modified` of the page you have, where there is no `If-None-Match`.',
    schema: { type: 'string' },
  },
  'If-Match': {
    description: 'The `ETag` of the only version that you want: 412 if the page is another.',
    schema: { type: 'string' },
  },
  'If-Unmodified-Since': {
    description: 'The `Last-Modified` of that version, where there is no `If-Match`.',
    schema: { type: 'string' },
  },
  Range: {
    description: 'One part of the page, in bytes.',
    schema: { type: 'string' },
    example: 'bytes=0-99',
  },
  'If-Range': {
    description: 'The `ETag` or `Last-Modified` that the part is of: all of the page if it is another.',
    schema: { type: 'string' },
  },
});

/** The fields of a scrape request that are text in some form: an object can't be. */
export function queryParameters(): Json[] {
  return Object.entries(scrapeFields).flatMap(([name, field]) => {
    const { description, anyOf, ...schema } = schemaOf(field);
    const forms = (anyOf ?? [schema]) as Json[];
    const required = !field.safeParse(undefined).success;
    return forms
      .filter(({ type }) => type !== 'object')
      .map((form) => ({ name, in: 'query', required, description, schema: form }));
  });
}
