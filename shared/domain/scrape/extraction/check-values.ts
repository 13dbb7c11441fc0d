import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import type { ValueSchema } from '../../../contract/scrape/extraction.ts';

/** What is wrong with a value. The path of the whole is empty. */
export type ValueFault = { path: string; message: string };

export type Checker = {
  /** Empty if the value is valid. */
  faultsOf: (value: unknown) => ValueFault[];
  /** Whether the schema names the property, and a value is valid for it. */
  isValidFor: (name: string, value: unknown) => boolean;
};

const DRAFT = '2020-12';
const [MAX_FAULTS, MAX_MESSAGE_LENGTH] = [50, 300];

/** They only repeat that something within is wrong, which has an entry of its own. */
const OUTER: readonly string[] = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'unevaluatedItems', 'contains', 'dependentSchemas'],
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'if'],
];

/** Checks values by a schema that `schemaFaults` accepts. Patterns may take long: bound its time. */
export function openChecker(schema: ValueSchema): Checker {
  // The library writes into schemas.
  const own = structuredClone(schema) as Schema;
  const lookup = dereference(own);
  const check = (value: unknown, by: Schema | boolean, isShort: boolean) =>
    validate(value, by, DRAFT, lookup, isShort);
  return {
    faultsOf: (value) => {
      if (check(value, own, true).valid) return [];
      const { errors } = withAll(() => check(value, own, false)) ?? check(value, own, true);
      return distinct(errors, value);
    },
    isValidFor: (name, value) => {
      const { properties = {} } = own;
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property !== undefined && check(value, property, true).valid;
    },
  };
}

/** Undefined for more faults than the library can list. */
function withAll<T>(list: () => T): T | undefined {
  try {
    return list();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function distinct(errors: readonly OutputUnit[], value: unknown): ValueFault[] {
  const inner = errors.filter(({ keyword }) => !OUTER.includes(keyword));
  const faults = (inner.length > 0 ? inner : errors)
    .slice(0, MAX_FAULTS)
    .map(({ instanceLocation, keyword, error }): ValueFault => ({
      path: pathIn(value, instanceLocation),
      message: keyword === 'false' ? 'is not allowed' : error.slice(0, MAX_MESSAGE_LENGTH),
    }));
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}

/** A path as callers write it, of a location as a JSON pointer in a URL's fragment. */
function pathIn(value: unknown, location: string): string {
  let [path, here] = ['', value];
  for (const part of location.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    path = pathTo(path, Array.isArray(here) ? Number(key) : key);
    here = typeof here === 'object' && here !== null ? (here as Record<string, unknown>)[key] : undefined;
  }
  return path;
}

/** `products[0].price` of `products[0]` and `price`. */
export function pathTo(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}
