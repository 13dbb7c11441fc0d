import { z } from 'zod';
import { fields, scrapeFields, traitsOf } from './scrape-request.ts';

const notRecorded: { url?: true } = Object.fromEntries(
  Object.keys(scrapeFields)
    .filter((name) => name === 'url' || traitsOf(name).secret)
    .map((name) => [name, true]),
);

const recorded = fields.omit(notRecorded).partial().shape;

/** The fields that activity records beside the URL: no secrets, and no defaults. */
export const RecordedFields = z.object(withoutDefaults(recorded));

function withoutDefaults<S extends z.core.$ZodLooseShape>(shape: S): S {
  const bare = (field: unknown) => {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    return inner instanceof z.ZodDefault
      ? z.optional(inner.unwrap()).describe(inner.description ?? '')
      : field;
  };
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, bare(field)])) as S;
}
