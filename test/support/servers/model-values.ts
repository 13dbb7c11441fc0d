type Schema = Record<string, unknown>;

/** Values that fit most schemas: the words and numbers of a page, where the schema leaves a choice. */
export function valuesFor(root: Schema, page: string): unknown {
  const words = page.match(/\p{L}[\p{L}\p{N}]*/gu) ?? ['word'];
  const numbers = (page.match(/(?<![\d.,])\d{1,9}(?![\d.,])/g) ?? ['0']).map(Number);
  let taken = 0;

  function of(schema: unknown): unknown {
    if (typeof schema !== 'object' || schema === null) return words[0];
    const here = schema as Schema;
    const { $ref: reference, const: constant, enum: choices, anyOf, oneOf, allOf } = here;
    if (typeof reference === 'string') return of(at(reference));
    if (constant !== undefined) return constant;
    if (Array.isArray(choices)) return choices[0];
    const [first] = [anyOf, oneOf].flat().filter(Boolean);
    if (first !== undefined) return of(first);
    if (Array.isArray(allOf) && here['type'] === undefined)
      return of(Object.assign({}, ...(allOf as Schema[])));
    return ofType([here['type']].flat()[0] ?? 'string', here);
  }

  function ofType(type: unknown, here: Schema): unknown {
    if (type === 'object') {
      const properties = Object.entries((here['properties'] ?? {}) as Schema);
      return Object.fromEntries(properties.map(([name, schema]) => [name, of(schema)]));
    }
    if (type === 'array') {
      const count = Math.max(1, Number(here['minItems'] ?? 0));
      return Array.from({ length: count }, () => of(here['items']));
    }
    if (type === 'number' || type === 'integer') return inRange(numbers[taken++ % numbers.length] ?? 0, here);
    if (type === 'boolean') return true;
    return type === 'null' ? null : textFor(here);
  }

  function textFor({ format, minLength = 0, maxLength = Infinity }: Schema): string {
    const [made] = Object.entries(FORMATS).flatMap(([name, text]) => (name === format ? [text] : []));
    if (made !== undefined) return made;
    const word = words[taken++ % words.length] ?? 'word';
    return word.padEnd(Number(minLength), 'x').slice(0, Number(maxLength));
  }

  const at = (reference: string) =>
    reference
      .split('/')
      .slice(1)
      .reduce<unknown>((value, key) => (value as Schema | undefined)?.[key], root);
  return of(root);
}

const FORMATS = {
  date: '2026-11-05',
  'date-time': '2026-11-05T10:00:00Z',
  time: '10:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '01a1fc65-ce39-73c6-a38e-ad4f30b810a7',
};

function inRange(value: number, { minimum = -Infinity, maximum = Infinity }: Schema): number {
  return Math.min(Math.max(value, Number(minimum)), Number(maximum));
}
