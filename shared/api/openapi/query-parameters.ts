import { type Json, schemaOf } from '../../contract/json-schema.ts';
import { scrapeFields } from '../../contract/scrape-request.ts';

/** The fields of a scrape request that fit in a query string: all but objects. */
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
