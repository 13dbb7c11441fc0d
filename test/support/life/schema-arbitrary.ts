import fc from 'fast-check';
import type { Operation, Parameter, Schema } from '../stack/described-api.ts';

type Values = Record<string, unknown>;

/** The parameters and body of a request. */
export type Ask = {
  /** By place and name. */
  parameters: Record<Parameter['in'], Values>;
  body?: unknown;
};

const MAX_TEXT = 40;
const MAX_ITEMS = 3;

/** Values of a schema: its examples if it has any, because a pattern or format is not precise enough. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.examples) return fc.constantFrom(...schema.examples);
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]));
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each)));
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer')
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2 ** 31 });
  if (schema.type === 'array' && schema.items)
    return fc.array(valuesOf(schema.items as Schema), {
      minLength: schema.minItems ?? 0,
      maxLength: MAX_ITEMS,
    });
  if (schema.type === 'object') return recordOf(schema.properties ?? {}, schema.required);
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
  if (schema.format === 'uuid') return fc.uuid();
  return fc.string({ minLength: schema.minLength ?? 0, maxLength: MAX_TEXT });
}

/** Requests that the description allows. */
export function asksOf({ parameters, body }: Operation): fc.Arbitrary<Ask> {
  const inPlace = (place: Parameter['in']) => {
    const here = parameters.filter((each) => each.in === place);
    const schemas = Object.fromEntries(here.map(({ name, schema }) => [name, schema]));
    return recordOf(
      schemas,
      here.filter(({ required }) => required).map(({ name }) => name),
    );
  };
  return fc.record(
    {
      parameters: fc.record({ path: inPlace('path'), query: inPlace('query'), header: inPlace('header') }),
      body: body ? valuesOf(body) : fc.constant(undefined),
    },
    { requiredKeys: ['parameters'] },
  );
}

/** Requests with an error: a value of a wrong type, an unknown field, a body that is not JSON. */
export function oddAsksOf(operation: Operation, asks: fc.Arbitrary<Ask>): fc.Arbitrary<Ask> {
  const odd = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
  );
  const spoilt = (values: Values) => {
    const name = fc.oneof(fc.constantFrom(...Object.keys(values), 'url'), fc.string({ minLength: 1 }));
    return fc.tuple(name, odd).map(([key, value]) => ({ ...values, [key]: value }));
  };
  return asks.chain(({ parameters, body }) =>
    fc.record({
      parameters: fc.record({
        path: operation.path.includes('{')
          ? fc.string({ minLength: 1 }).map((text) => mapValues(parameters.path, () => text))
          : fc.constant({}),
        // A body beside a query would be ignored.
        query: operation.body ? fc.constant({}) : spoilt(parameters.query),
        header: fc.constant(parameters.header),
      }),
      body: operation.body ? fc.oneof(spoilt((body ?? {}) as Values), odd) : fc.constant(undefined),
    }),
  );
}

function recordOf(schemas: Record<string, unknown>, required: string[] = []): fc.Arbitrary<Values> {
  const model = mapValues(schemas, (schema) => valuesOf(schema as Schema));
  return fc.record(model, { requiredKeys: required });
}

function mapValues<T, U>(values: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
