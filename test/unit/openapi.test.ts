import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openapi } from '../../shared/api/openapi.ts';
import { withoutExamples } from '../../shared/api/openapi/without-examples.ts';

const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
const current = JSON.stringify(openapi());

/** The document by what a reader looks up: each path and each component. */
function parts(document: string): Map<string, string> {
  const { paths, components, ...head } = JSON.parse(document) as Record<string, Record<string, object>>;
  const groups = Object.entries({ head, paths, ...components });
  return new Map(
    groups.flatMap(([group, members]) =>
      Object.entries(members ?? {}).map(([name, value]) => [`${group} ${name}`, JSON.stringify(value)]),
    ),
  );
}

test('docs/openapi.json is up to date (npm run openapi)', () => {
  const [before, after] = [parts(committed), parts(current)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  expect(names.filter((name) => before.get(name) !== after.get(name))).toEqual([]);
});

test('each reference of the document leads to a component', () => {
  const components = [...parts(current).keys()].map((name) => `#/components/${name.replace(' ', '/')}`);
  const references = [...current.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
  expect(references.filter((reference) => !components.includes(reference ?? ''))).toEqual([]);
});

test('the small document has all operations, without examples, headers and loose references', () => {
  const [whole, small] = [openapi(), withoutExamples(openapi())] as Record<string, object>[];
  const operationsIn = (document: Record<string, object> = {}) => Object.keys(document['paths'] ?? {});
  expect(operationsIn(small)).toEqual(operationsIn(whole));
  const text = JSON.stringify(small);
  expect(text).not.toMatch(/"(example|examples|headers)":[[{](?!"(type|anyOf|description|\$ref)")/);
  const places = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
  expect(places.length).toBeGreaterThan(100);
  const components = small?.['components'] as Record<string, Record<string, unknown>>;
  expect(places.filter(([, kind = '', name = '']) => components[kind]?.[name] === undefined)).toEqual([]);
});
