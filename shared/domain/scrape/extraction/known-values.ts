import { isJsonObject } from '../../../contract/json-object.ts';
import type { Question } from '../../../contract/scrape/extraction.ts';
import type { Checker } from './check-values.ts';
import type { Values } from './read-answer.ts';

/** Values of rules: `known` are valid properties of the schema, `besides` have names that it lacks. */
type Known = { known: Values; besides: Values };

export function knownValues(
  { schema, found = {} }: Question,
  { isValidFor }: Pick<Checker, 'isValidFor'>,
): Known {
  const properties = objectOf(schema['properties']);
  const [known, besides]: [Values, Values] = [{}, {}];
  for (const [name, value] of Object.entries(found)) {
    if (!Object.hasOwn(properties, name)) besides[name] = value;
    else if (!isMissing(value)) {
      const typed = asType(value, properties[name]);
      if (isValidFor(name, typed)) known[name] = typed;
    }
  }
  return { known, besides };
}

/** Whether the rules have found all that the schema names. */
export function isAllKnown({ schema }: Pick<Question, 'schema'>, known: Values): boolean {
  const names = Object.keys(objectOf(schema['properties']));
  return names.length > 0 && names.every((name) => Object.hasOwn(known, name));
}

const isMissing = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);

const NUMBER = /^-?(?:0|[1-9]\d{0,299})(?:\.\d+)?$/;

/** A text that is a plain number or boolean, as that, where the schema takes no text. */
function asType(value: unknown, schema: unknown): unknown {
  const { type, items, properties } = objectOf(schema);
  if (Array.isArray(value)) return value.map((entry) => asType(entry, items));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([name, inner]) => [name, asType(inner, objectOf(properties)[name])]),
    );
  }
  const types = [type].flat();
  if (typeof value !== 'string' || types.includes('string')) return value;
  const text = value.trim();
  if ((types.includes('number') || types.includes('integer')) && NUMBER.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return value;
}

function objectOf(value: unknown): Values {
  return isJsonObject(value) ? value : {};
}
