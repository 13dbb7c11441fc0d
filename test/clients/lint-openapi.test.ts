import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const committed = new URL('../../docs/openapi.json', import.meta.url);

test('docs/openapi.json and its examples pass the linter', async () => {
  const redocly = fileURLToPath(new URL('node_modules/@redocly/cli/bin/cli.js', import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [redocly, 'lint', '--extends', 'recommended', '--format', 'json', fileURLToPath(committed)],
    { env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  );
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});
