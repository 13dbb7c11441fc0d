import { z } from 'zod';

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : S;

type CamelKeys<T> = T extends unknown ? { [K in keyof T as Camel<K & string>]: T[K] } : never;
type SnakeKeys<T> = T extends unknown ? { [K in keyof T as Snake<K & string>]: T[K] } : never;

/** The same values under camelCase names: from the border inwards. Nested objects are not changed. */
function camelKeys<T extends object>(value: T): CamelKeys<T> {
  return renamed(value, camel) as CamelKeys<T>;
}

const camel = (key: string) => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The same values under snake_case names: outwards to JSON and to storage. Absent values are left out. */
export function snakeKeys<T extends object>(value: T): SnakeKeys<T> {
  const rename = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return renamed(value, rename) as SnakeKeys<T>;
}

function renamed(value: object, rename: (key: string) => string): object {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [rename(key), item]));
}

/** A schema of snake_case fields that reads into camelCase names, and writes back with `z.encode`. */
export function camelCased<S extends z.ZodType<object, object>>(schema: S) {
  return z.codec(schema, z.custom<CamelKeys<z.output<S>>>(), {
    decode: (value) => camelKeys(value),
    encode: (value) => snakeKeys(value) as z.output<S>,
  });
}

/** The fields of a schema under camelCase names, for messages that are camelCase at both ends. */
export function camelShape<S extends z.ZodRawShape>(shape: S) {
  return renamed(shape, camel) as { [K in keyof S as Camel<K & string>]: S[K] };
}

/** Optional fields, some of them with the value that they have if absent. */
export function withDefaults<S extends z.ZodRawShape, D extends Readonly<Record<string, unknown>>>(
  shape: S,
  defaults: D,
) {
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    name in defaults ? z._default(field, defaults[name]) : field,
  ]);
  return Object.fromEntries(fields) as { [K in keyof S]: K extends keyof D ? z.ZodDefault<S[K]> : S[K] };
}
