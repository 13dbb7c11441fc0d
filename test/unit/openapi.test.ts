import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openapi } from '../../shared/api/openapi.ts';

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
