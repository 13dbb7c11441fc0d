import type { Schema } from '../stack/described-api.ts';
import type { Random } from '../world/random.ts';

/** Ids of nothing. */
export const NOBODYS = ['019a0000-0000-7000-8000-000000000000', '019A0000-0000-7000-8000-00000000000F'];
export const ODD_TEXTS = [
  ...[
    '',
    ' ',
    'x',
    '0',
    '-1',
    '1e9',
    'null',
    'true',
    '[]',
    '{}',
    '%',
    '%00',
    '%zz',
    '..',
    '.',
    '~',
    "'",
    '"',
  ],
  ...[
    '\u0000',
    '\ud800',
    '\u202e',
    'é',
    '検',
    '😀',
    'a'.repeat(300),
    'x'.repeat(9_000),
    '*',
    '$ref',
    '__proto__',
  ],
  ...['constructor', 'toString', '9999-12-31', '0000-01-01', '2026-13-45', '+275760-09-13T00:00:00.001Z'],
  ...['(((((((((('.repeat(90), ':not('.repeat(90), '//a['.repeat(90), 'a>'.repeat(400), '1'.repeat(400)],
];
const ODD_NUMBERS = [0, -0, -1, 1, 1.5, 59, 60, 1e308, -1e308, 2 ** 31, 2 ** 53, Number.MIN_VALUE];
export const ODD_URLS = [
  'http://127.0.0.1/',
  'ftp://a.example/',
  'https://',
  'https://a:b@c.example/',
  'javascript:1',
];
export const ODD_JSON = [
  '',
  '{',
  '[',
  'null',
  '0',
  '"a"',
  '[]',
  '{}',
  '{"a":1,}',
  '{"url":"x","url":"y"}',
  '\ufeff{}',
];
const MAX_DEPTH = 6;

/** Any JSON, with what readers of it stumble over. */
export function oddValue(random: Random, depth = 0): unknown {
  const kind = random.int(depth > 3 ? 5 : 8);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.of(ODD_NUMBERS);
  if (kind <= 4) return random.of([...ODD_TEXTS, ...ODD_URLS]);
  const inner = Array.from({ length: random.int(4) }, () => oddValue(random, depth + 1));
  if (kind === 5) return inner;
  return Object.fromEntries(inner.map((value) => [random.of([...ODD_TEXTS.slice(0, 40), 'url']), value]));
}

/** A value of a schema, now and then a forbidden one. */
export function valueOf(random: Random, schema: Schema, oddness: number, depth = 0): unknown {
  if (random.chance(oddness)) return oddValue(random);
  const inner = (each: unknown) => valueOf(random, each as Schema, oddness, depth + 1);
  if (schema.examples && random.chance(0.5)) return random.of(schema.examples);
  if (schema.enum) return random.of(schema.enum);
  if (schema.const !== undefined) return schema.const;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return inner(random.of(choices));
  if (schema.type === 'boolean') return random.chance(0.5);
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(random, schema);
  if (schema.type === 'array') {
    const length = depth > MAX_DEPTH ? 0 : Math.max(schema.minItems ?? 0, random.int(3));
    const { prefixItems: fixed } = schema as { prefixItems?: unknown[] };
    return fixed ? fixed.map(inner) : Array.from({ length }, () => inner(schema.items ?? {}));
  }
  if (schema.type === 'object') {
    const { properties = {}, required = [], maxProperties } = schema;
    const names = Object.keys(properties);
    const chosen = maxProperties === 1 ? [random.of(names)] : random.some(names, depth > 2 ? 0.2 : 0.35);
    const all = depth > MAX_DEPTH ? required : [...new Set([...required, ...chosen])];
    return Object.fromEntries(all.map((name) => [name, inner(properties[name])]));
  }
  return schema.format === 'uuid' ? random.of(NOBODYS) : random.of(['a', 'h1', 'text', 'Ada', '#x']);
}

function numberOf(random: Random, { minimum = 0, maximum = 1_000 }: Schema): number {
  return random.of([minimum, maximum, minimum + random.int(Math.min(maximum - minimum, 1_000) + 1)]);
}
