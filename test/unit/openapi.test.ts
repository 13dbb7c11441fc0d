import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openapi } from '../../shared/api/openapi.ts';

const committed = new URL('../../docs/openapi.json', import.meta.url);

test('docs/openapi.json is up to date (npm run openapi)', () => {
  expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(openapi());
});

test('docs/openapi.json and its examples pass the linter', async () => {
  const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [redocly, 'lint', '--extends', 'recommended', '--format', 'json', fileURLToPath(committed)],
    { env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  );
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});
