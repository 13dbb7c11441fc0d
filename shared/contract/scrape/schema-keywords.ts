import { isJsonObject } from '../json-object.ts';

/** What a keyword takes. `nested` schemas are of values within the value. */
export type KeywordKind =
  | 'schema'
  | 'nested schema'
  | 'other schema'
  | 'schemas'
  | 'nested schemas'
  | 'named schemas'
  | 'nested named schemas'
  | 'definitions'
  | 'type'
  | 'count'
  | 'number'
  | 'positive number'
  | 'names'
  | 'named names'
  | 'list'
  | 'flag'
  | 'text'
  | 'format'
  | 'pattern'
  | 'reference'
  | 'anchor'
  | 'dialect'
  | 'refused'
  | 'any';

/** The keywords of https://json-schema.org/draft/2020-12/schema. Unknown ones say nothing, as the draft has it. */
export const keywords = new Map<string, KeywordKind>(
  Object.entries({
    schema: ['if', 'then', 'else', 'not'],
    'other schema': ['propertyNames', 'contentSchema'],
    'nested schema': [
      ...['items', 'contains', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
    ],
    schemas: ['allOf', 'anyOf', 'oneOf'],
    'nested schemas': ['prefixItems'],
    'named schemas': ['dependentSchemas'],
    'nested named schemas': ['properties', 'patternProperties'],
    definitions: ['$defs', 'definitions'],
    type: ['type'],
    count: [
      ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
      ...['minContains', 'maxContains'],
    ],
    number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
    'positive number': ['multipleOf'],
    names: ['required'],
    'named names': ['dependentRequired'],
    list: ['enum', 'examples'],
    flag: ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'],
    text: ['title', 'description', '$comment', 'contentEncoding', 'contentMediaType'],
    format: ['format'],
    pattern: ['pattern'],
    reference: ['$ref'],
    anchor: ['$anchor'],
    dialect: ['$schema'],
    // A schema by itself needs none of them, and each leads out of it or into a circle.
    refused: [
      ...['$id', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary'],
      ...['dependencies', 'additionalItems'],
    ],
    any: ['const', 'default'],
  } satisfies Record<KeywordKind, string[]>).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as KeywordKind] as const),
  ),
);

const isNames = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((name) => typeof name === 'string') &&
  new Set(value).size === value.length;

const TYPES: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const TYPE_RULE = `expected ${TYPES.join(', ')}, or a list of them`;
const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const MAX_PATTERN_LENGTH = 1_000;

export function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_PATTERN_LENGTH) return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

export const PATTERN_RULE = `expected a regular expression of up to ${MAX_PATTERN_LENGTH} characters, without needless escapes such as \\-`;

type Rule = { isMet: (value: unknown) => boolean; expected: string };

/** The rules of values that hold no schemas. */
export const valueRules: Partial<Record<KeywordKind, Rule>> = {
  type: {
    isMet: (value) => TYPES.includes(value) || (isNames(value) && (value as string[]).every(isType)),
    expected: TYPE_RULE,
  },
  count: {
    isMet: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    expected: 'expected a whole number',
  },
  number: { isMet: (value) => typeof value === 'number', expected: 'expected a number' },
  'positive number': {
    isMet: (value) => typeof value === 'number' && value > 0,
    expected: 'expected a number above 0',
  },
  names: { isMet: isNames, expected: 'expected a list of different names' },
  'named names': {
    isMet: (value) => isJsonObject(value) && Object.values(value).every(isNames),
    expected: 'expected names with lists of different names',
  },
  list: { isMet: Array.isArray, expected: 'expected a list' },
  flag: { isMet: (value) => typeof value === 'boolean', expected: 'expected true or false' },
  text: { isMet: (value) => typeof value === 'string', expected: 'expected a text' },
  // Validators look formats up by name.
  format: {
    isMet: (value) => typeof value === 'string' && !Object.hasOwn(Object.prototype, value),
    expected: 'expected the name of a format',
  },
  pattern: { isMet: isPattern, expected: PATTERN_RULE },
  reference: {
    isMet: (value) => typeof value === 'string' && value.startsWith('#'),
    expected: 'expected a reference within the schema, such as #/$defs/price',
  },
  anchor: {
    isMet: (value) => typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
    expected: 'expected a name of letters and digits',
  },
  dialect: {
    isMet: (value) => typeof value === 'string' && DIALECT.test(value),
    expected: 'expected https://json-schema.org/draft/2020-12/schema',
  },
  refused: { isMet: () => false, expected: 'not supported here' },
};

function isType(name: string): boolean {
  return TYPES.includes(name);
}
