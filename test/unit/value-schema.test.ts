import { describe, expect, test } from 'vitest';
import { schemaFaults, ValueSchema } from '../../shared/contract/scrape/value-schema.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const pathsOf = (schema: Record<string, unknown>) => schemaFaults(schema).map(({ path }) => path.join('.'));
const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : object({ a: nested(levels - 1) });

describe('a schema is accepted', () => {
  test.each<[string, Record<string, unknown>]>([
    [
      'with the keywords of 2020-12',
      object({ a: { type: ['string', 'null'], pattern: '^a+$', minLength: 1 } }),
    ],
    ['that names its draft', object({}, { $schema: 'https://json-schema.org/draft/2020-12/schema' })],
    ['with definitions', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { type: 'string' } } })],
    ['with an anchor', object({ a: { $ref: '#price' }, b: { $anchor: 'price', type: 'number' } })],
    ['that refers to itself within a value', object({ children: { type: 'array', items: { $ref: '#' } } })],
    ['whose reference has escapes', object({ 'a/b~c d': {}, e: { $ref: '#/properties/a~1b~0c%20d' } })],
    ['with unknown keywords', object({ a: { 'x-order': 1, nullable: true } })],
    ['with true and false for schemas', object({ a: true }, { additionalProperties: false })],
    [
      'with properties that are called like keywords',
      object({ $ref: {}, type: { type: 'string' }, items: {} }),
    ],
    ['of 8 levels', object({ a: nested(6) })],
    ['of 200 properties', object(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`p${at}`, {}])))],
  ])('%s', (_, schema) => {
    expect(schemaFaults(schema)).toEqual([]);
  });
});

describe('a schema is refused', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['without an object at its root', { type: 'array', items: {} }, ['type']],
    ['with an unknown type', object({ price: { type: 'money' } }), ['properties.price.type']],
    ['with text in place of a schema', object({ price: 'number' }), ['properties.price']],
    ['with a list of schemas for items', object({ a: { items: [{}] } }), ['properties.a.items']],
    ['with an empty anyOf', object({ a: { anyOf: [] } }), ['properties.a.anyOf']],
    ['with names twice', object({ a: {} }, { required: ['a', 'a'] }), ['required']],
    ['with a negative count', object({ a: { minItems: -1 } }), ['properties.a.minItems']],
    ['with a divisor of zero', object({ a: { multipleOf: 0 } }), ['properties.a.multipleOf']],
    ['with a broken pattern', object({ a: { pattern: '(' } }), ['properties.a.pattern']],
    ['with a long pattern', object({ a: { pattern: 'a'.repeat(1_001) } }), ['properties.a.pattern']],
    [
      'with a broken pattern of property names',
      object({}, { patternProperties: { '(': {} } }),
      ['patternProperties.('],
    ],
    ['with a remote reference', object({ a: { $ref: 'https://example.com/a' } }), ['properties.a.$ref']],
    ['with a reference to a file', object({ a: { $ref: 'a.json#/b' } }), ['properties.a.$ref']],
    ['with a reference that leads nowhere', object({ a: { $ref: '#/$defs/b' } }), ['properties.a.$ref']],
    [
      'with a reference to a value',
      object({ a: { $ref: '#/required' } }, { required: [] }),
      ['properties.a.$ref'],
    ],
    ['that is itself', { type: 'object', allOf: [{ $ref: '#' }] }, ['allOf.0']],
    [
      'with a circle of definitions',
      object(
        { a: { $ref: '#/$defs/b' } },
        { $defs: { b: { anyOf: [{ $ref: '#/$defs/c' }] }, c: { $ref: '#/$defs/b' } } },
      ),
      ['$defs.c'],
    ],
    ['with an id', object({}, { $id: 'https://example.com/a' }), ['$id']],
    ['with dynamic references', object({ a: { $dynamicRef: '#a' } }), ['properties.a.$dynamicRef']],
    ['of another draft', object({}, { $schema: 'http://json-schema.org/draft-07/schema#' }), ['$schema']],
    ['with a format that objects inherit', object({ a: { format: 'toString' } }), ['properties.a.format']],
    [
      'of 9 levels',
      object({ a: nested(8) }),
      [
        'properties.a.properties.a.properties.a.properties.a.properties.a.properties.a.properties.a.properties.a',
      ],
    ],
    [
      'of 201 properties',
      object(Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`p${at}`, {}]))),
      [''],
    ],
    ['of more than 50 KB', object({ a: { description: 'x'.repeat(50_000) } }), ['']],
    [
      'with a name that is the prototype',
      JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as never,
      ['properties.__proto__'],
    ],
  ])('%s', (_, schema, paths) => {
    expect(pathsOf(schema)).toEqual(paths);
  });

  test('with schemas of the same value that are nested without end', () => {
    let deep: object = {};
    for (let level = 0; level < 1_000; level += 1) deep = { not: deep };
    expect(schemaFaults(object({ a: deep })).map(({ message }) => message)).toEqual([
      'expected schemas that are nested less deeply',
    ]);
  });
});

test('a field of a request names what is wrong by its path', () => {
  const { error } = ValueSchema.safeParse(object({ price: { type: 'money' } }));
  expect(error?.issues).toMatchObject([{ path: ['properties', 'price', 'type'] }]);
});
