import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toAppError } from '../../shared/errors.ts';
import { readJson } from '../../shared/request/read-json.ts';
import { walkJson } from '../../shared/request/walk-json.ts';

const headers = { 'content-type': 'application/json' };

function faultOf(body: string) {
  try {
    readJson({ headers, body });
    return undefined;
  } catch (error) {
    return toAppError(error);
  }
}

test.each([
  ['{"url": "https://example.com/"', 'line 1, column 31'],
  ['{\n  "url": "x",\n  "timeout": 5000,\n}', 'line 4, column 1'],
  ["{\r\n  'url': 1}", 'line 2, column 3'],
  ['{"a": tru}', 'line 1, column 7'],
  ['{"a": 01}', 'line 1, column 8'],
  ['{"a" 1}', 'line 1, column 6'],
  ['[1 2]', 'line 1, column 4'],
  ['{"a": "\n"}', 'line 1, column 7'],
  ['{} {}', 'line 1, column 4'],
  ['url=x', 'line 1, column 1'],
])('the fault in %j is located at %s', (body, place) => {
  expect(faultOf(body)?.message).toBe(`The request body is not valid JSON: see ${place}.`);
});

test('the fault of a text that is nested too deeply to be read has no place', () => {
  const message = 'The request body is not valid JSON: it is nested more than 100 levels deep.';
  expect(faultOf('['.repeat(200_000))?.message).toBe(message);
});

test.each(['', '  \n'])('the empty body %j is reported as empty', (body) => {
  expect(faultOf(body)?.message).toBe('The request body is not valid JSON: it is empty.');
});

test('a byte order mark before the JSON is accepted', () => {
  expect(readJson({ headers, body: '\uFEFF{"url":"x"}' })).toEqual({ url: 'x' });
});

test('exactly the texts that JSON.parse accepts are valid', () => {
  const spoilt = fc
    .tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom('', ',', '}', ']', '"', ':', '0', '\\', 'e', ' '),
    )
    .map(
      ([text, at, piece]) =>
        text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + 1),
    );
  fc.assert(
    fc.property(fc.oneof(spoilt, fc.json()), (text) => {
      expect(walkJson(text, () => undefined, Infinity) === undefined).toBe(isParsed(text));
    }),
    { seed: 20_261_122, numRuns: 3_000 },
  );
});

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['{"a":1,"a":2}', 'a', "Field 'a' is given more than once."],
  ['{"a":{"b":[{},{"c":1,"\\u0063":2}]}}', 'a.b[1].c', "Field 'a.b[1].c' is given more than once."],
  ['{"headers":{"X":"1","X":"2"}}', 'headers', "Field 'headers.X' is given more than once."],
  ['{"a":[{"__proto__":1}]}', '__proto__', "Neither fields nor headers can be named '__proto__'."],
])('a repeated or lost name in %s is refused with its path', (body, param, message) => {
  expect(faultOf(body)).toMatchObject({ code: 'invalid_request', fields: { param }, message });
});

test('all repeated names are listed, up to twenty', () => {
  const twice = (names: string[]) => `{${[...names, ...names].map((name) => `"${name}":1`).join()}}`;
  expect(faultOf(twice(['a', 'b']))?.errors).toMatchObject([{ param: 'a' }, { param: 'b' }]);
  const many = Array.from({ length: 1_000 }, (_, n) => `n${n}`);
  expect(faultOf(twice(many))?.errors).toHaveLength(20);
});

test.each([
  ['{"js_scenario":{"instructions":[', 'js_scenario'],
  ['{"url":"x","extract_rules":{"a":', 'extract_rules'],
  ['[', undefined],
])('a text that is nested too deeply is refused with its field: %s', (beginning, param) => {
  const body = `${beginning}${'{"then":['.repeat(10_000)}1${']}'.repeat(10_000)}${closing(beginning)}`;
  const message = 'The request body is nested more than 100 levels deep.';
  expect(faultOf(body)).toMatchObject({ code: 'invalid_request', message });
  expect(faultOf(body)?.fields['param']).toBe(param);
});

test('a text of any depth is read in linear time', () => {
  const deep = 40_000;
  const body = `${'{"a":'.repeat(deep)}{"b":1,"b":2}${'}'.repeat(deep)}`;
  const before = process.cpuUsage();
  expect(faultOf(body)?.message.length).toBeLessThan(400);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});

/** What closes all that a text opens. */
const closing = (text: string) =>
  Array.from(text.replace(/[^[{]/g, ''), (sign) => (sign === '{' ? '}' : ']'))
    .reverse()
    .join('');
