import { valuesFor } from '../servers/model-values.ts';
import type { Random } from './random.ts';

type Schema = Record<string, unknown>;
const NAMES = [
  'title',
  'price',
  'tags',
  'in stock',
  'größe',
  'a/b',
  'c~d',
  'constructor',
  'format',
  '価格',
  'x.y',
];

const DEFINITIONS = {
  word: { type: 'string', minLength: 1 },
  money: {
    type: 'object',
    properties: { amount: { type: 'number' }, currency: { enum: ['EUR', 'USD'] } },
    required: ['amount'],
  },
};

/** A schema of an object, as callers and their libraries write them. */
export function madeSchema(random: Random): Schema {
  return { ...objectOf(random, 0), $defs: DEFINITIONS };
}

function objectOf(random: Random, level: number): Schema {
  const names = [...new Set(Array.from({ length: 1 + random.int(5) }, () => random.of(NAMES)))];
  const properties = Object.fromEntries(names.map((name) => [name, schemaOf(random, level + 1)]));
  return {
    type: 'object',
    properties,
    required: names.filter(() => random.chance(0.7)),
    ...(random.chance(0.5) && { additionalProperties: random.chance(0.5) ? false : { type: 'string' } }),
    ...(random.chance(0.1) && { minProperties: 1 }),
  };
}

const LEAVES: readonly ((random: Random) => Schema)[] = [
  () => ({ type: 'string' }),
  (random) => ({ type: 'string', minLength: random.int(4), maxLength: 40 }),
  () => ({ type: 'string', pattern: '^\\p{L}+' }),
  (random) => ({ type: 'string', format: random.of(['date', 'uri', 'email', 'uuid', 'my-own']) }),
  () => ({ type: 'number' }),
  (random) => ({ type: 'integer', minimum: random.int(6), maximum: 1_000 }),
  () => ({ type: 'number', exclusiveMinimum: -1, multipleOf: 0.01 }),
  () => ({ type: 'boolean' }),
  () => ({ type: ['string', 'null'] }),
  () => ({ type: ['number', 'null'] }),
  () => ({ enum: ['new', 'used', null, 3] }),
  () => ({ const: { of: ['one', 2] } }),
  () => ({ $ref: '#/$defs/word' }),
  () => ({ $ref: '#/$defs/money' }),
  () => ({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
  () => ({ oneOf: [{ type: 'integer' }, { type: 'string' }] }),
  () => ({ allOf: [{ type: 'string' }, { minLength: 1 }] }),
  () => ({ not: { type: 'null' }, type: 'string' }),
  () => ({ if: { type: 'string' }, then: { minLength: 1 }, type: 'string', 'x-hint': 'unknown' }),
];

function schemaOf(random: Random, level: number): Schema {
  if (level < 4 && random.chance(0.2)) return objectOf(random, level);
  if (level < 4 && random.chance(0.25)) {
    const uniqueItems = random.chance(0.2);
    return {
      type: 'array',
      items: schemaOf(random, level + 1),
      minItems: random.int(3),
      maxItems: 5,
      uniqueItems,
    };
  }
  return random.of(LEAVES)(random);
}

const SPOILS: readonly ((random: Random, values: Schema) => string)[] = [
  (_, values) => JSON.stringify(values),
  (_, values) => `Here it is:\n\`\`\`json\n${JSON.stringify(values, undefined, 2)}\n\`\`\`\nAnything else?`,
  (_, values) => `<think>{"a": 1}? No.</think>${JSON.stringify(values)}`,
  (_, values) => `[${JSON.stringify(values)}]`,
  (random, values) => {
    const text = JSON.stringify(values);
    return text.slice(0, random.int(text.length));
  },
  (random, values) => JSON.stringify(spoiled(random, values)),
  () => 'I could not find anything.',
  (_, values) => `${JSON.stringify(values)} or perhaps {"other": [1]}`,
  (_, values) => `[${JSON.stringify(values)},${JSON.stringify(values)}]`,
];

/** What a model may write for the schema: right, wrapped, cut off or wrong. */
export function madeAnswer(random: Random, schema: Schema, page: string): string {
  return random.of(SPOILS)(random, valuesFor(schema, page) as Schema);
}

/** The same without a value, or with another one. */
function spoiled(random: Random, values: Schema): Schema {
  const name = random.of(Object.keys(values));
  if (random.chance(0.3))
    return Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
  return { ...values, [name]: random.of([null, '', 7.123, [], {}, 'text', true, { deep: [{}] }]) };
}
