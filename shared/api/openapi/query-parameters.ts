import { type Json, schemaOf } from '../../contract/json-schema.ts';
import { ONLY_IN_JSON, scrapeFields } from '../../contract/scrape/scrape-request.ts';

/** The fields of a scrape request that a query string takes: no objects, and nothing secret. */
export function queryParameters(): Json[] {
  const taken = Object.entries(scrapeFields).filter(([name]) => !ONLY_IN_JSON.includes(name));
  return taken.flatMap(([name, field]) => {
    const { description, anyOf, ...schema } = schemaOf(field);
    const forms = (anyOf ?? [schema]) as Json[];
    const required = !field.safeParse(undefined).success;
    return forms
      .filter(({ type }) => type !== 'object' && type !== 'array')
      .map((form) => ({ name, in: 'query', required, description, schema: form }));
  });
}
