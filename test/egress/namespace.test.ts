import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { canMakeNamespace, inNamespace } from '../support/servers/network-namespace.ts';
import { EXPECTED, type Report } from './namespace/network.ts';

const isPossible = await canMakeNamespace();
const title = isPossible ? 'in its own network namespace' : 'skipped: no network namespace is available';

describe.skipIf(!isPossible)(title, () => {
  let report: Report;
  beforeAll(async () => {
    report = JSON.parse(
      (await inNamespace([process.execPath, join(import.meta.dirname, 'namespace/scenario.ts')])).stdout,
    ) as Report;
  });

  test.each(Object.entries(EXPECTED))('%s gives %s', (url, outcome) =>
    expect(report.outcomes[url]).toBe(outcome),
  );

  test('no private address received a connection', () => expect(report.hits).toBe(0));

  test('a name is resolved once for each connection', () => {
    const connections = Object.keys(EXPECTED).filter((url) => url.includes('//rebind.example.com')).length;
    expect(report.asked).toBe(2 * connections);
  });
});
