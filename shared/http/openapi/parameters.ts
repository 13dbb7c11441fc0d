import { scrapeFields } from '../../contract/scrape-request.ts';
import type { OperationId, Route } from '../routes.ts';
import { exampleJobId } from './examples.ts';
import { type Json, schemaOf } from './schema.ts';

const inPath: Readonly<Record<string, Json>> = {
  job_id: {
    description: 'What the submit answered.',
    schema: { type: 'string', format: 'uuid' },
    example: exampleJobId,
  },
  file: { description: 'Its name.', schema: { type: 'string', examples: ['docs.css'] } },
};

const ofResult: Record<string, Json> = {
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
};

const inHeader: Partial<Record<OperationId, Record<string, Json>>> = {
  submitJob: {
    'Idempotency-Key': {
      description: 'The same key with the same body gives the same job, for 24 hours.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      example: 'order-4711',
    },
  },
  getResult: {
    ...ofResult,
    Prefer: {
      description:
        '`respond-redirect`: where the caller accepts what is stored, the answer leads to the store. See 303.',
      schema: { type: 'string' },
      example: 'respond-redirect',
    },
  },
  headResult: ofResult,
};

/** What an operation takes outside of its body. */
export function parametersOf({ path, operationId }: Route & { operationId: OperationId }): Json[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return [
    ...names.map((name) => ({ name, in: 'path', required: true, ...inPath[name] })),
    ...(operationId === 'scrapeSimple' ? queryParameters() : []),
    ...Object.entries(inHeader[operationId] ?? {}).map(([name, more]) => ({ name, in: 'header', ...more })),
  ];
}

/** The fields of a scrape request that are text in some form: an object can't be. */
function queryParameters(): Json[] {
  return Object.entries(scrapeFields).flatMap(([name, field]) => {
    const { description, anyOf, ...schema } = schemaOf(field);
    const forms = (anyOf ?? [schema]) as Json[];
    const required = !field.safeParse(undefined).success;
    return forms
      .filter(({ type }) => type !== 'object')
      .map((form) => ({ name, in: 'query', required, description, schema: form }));
  });
}
