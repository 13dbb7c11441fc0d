import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describedTypes, headerOf } from './described-types.ts';

const GENERATOR = fileURLToPath(new URL('node_modules/openapi-typescript/bin/cli.js', import.meta.url));

/** The types of the API's requests and responses. */
export function typesOf(document: string): string {
  const input = describedTypes(document);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [GENERATOR, '--default-non-nullable=false', '--export-type'],
    { input, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  if (status !== 0) throw new Error(stderr);
  return `${headerOf(input)}\n${stdout}`;
}

if (import.meta.main) {
  const document = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  writeFileSync(new URL('src/schema.ts', import.meta.url), typesOf(document));
}
