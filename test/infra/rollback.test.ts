import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { exportsInUse } from '../../infra/deploy/exports-in-use.ts';
import { stageNames } from '../../infra/stage-names.ts';
import { runbook } from '../support/stack/runbook.ts';
import { linksOf, releases } from '../support/stack/stack-links.ts';
import { everyOption, synthesised } from './synthesised.ts';

const page = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
const [deploy, changelog] = await Promise.all([page('docs/deploy.md'), page('CHANGELOG.md')]);

test('every version of the changelog is on record, so that a rollback to it is tested', () => {
  const versions = [...changelog.matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, version]) => version);
  expect(releases.map(([version]) => version)).toEqual(versions.toReversed());
});

describe.each(releases)('a rollback to %s', (_, { stacks }) => {
  test.each(stageNames)('finds in %s all that its service and its dashboard import', async (stage) => {
    for (const options of [{ stage }, { stage, but: everyOption }]) {
      const { templates } = await synthesised(options);
      const there = [...templates.values()].flatMap((template) => linksOf(template).exports);
      const older = ['service', 'dashboard'].flatMap((name) => stacks[`sitefetch-${stage}-${name}`] ?? []);
      expect(older.flatMap(({ imports }) => imports)).not.toEqual([]);
      expect(there).toEqual(expect.arrayContaining(older.flatMap(({ imports }) => imports)));
    }
  });
});

test.each(stageNames)(
  'the storage of %s is not rolled back to 0.2.0: that would be refused',
  async (stage) => {
    const { stacks = {} } = Object.fromEntries(releases)['0.2.0'] ?? {};
    const { templates } = await synthesised({ stage });
    const refused = exportsInUse(templates, asTemplates(stacks));
    const storage = refused.filter((each) => each.stack === `sitefetch-${stage}-storage`);
    expect(new Set(storage.map(({ usedBy }) => usedBy))).toEqual(
      new Set([`sitefetch-${stage}-service`, `sitefetch-${stage}-dashboard`]),
    );
    expect(new Set(storage.map(({ exported }) => exported)).size).toBe(5);
  },
);

test.each(stageNames)('an upgrade of %s gives up no export that the version before uses', async (stage) => {
  const { templates } = await synthesised({ stage });
  for (const [, { stacks }] of releases) expect(exportsInUse(asTemplates(stacks), templates)).toEqual([]);
});

test.each([
  ['the guide', section(deploy, 'Roll back')],
  ['the runbook', section(runbook, 'Own faults')],
])('%s rolls back the dashboard and then the service, alone', (_, text) => {
  const commands = [...text.matchAll(/^npx cdk deploy (.+)$/gm)].map(([, args]) => args);
  expect(commands.map((args = '') => /^--exclusively "?sitefetch-\S+-(\w+)"?/.exec(args)?.[1])).toEqual([
    'dashboard',
    'service',
  ]);
  expect(text).not.toMatch(/npm run deploy|--all/);
});

/** Templates with these exports and imports alone. */
function asTemplates(stacks: (typeof releases)[number][1]['stacks']) {
  return new Map(
    Object.entries(stacks).map(([name, { exports, imports }]) => [
      name,
      {
        Outputs: Object.fromEntries(
          exports.map((exported, index) => [index, { Export: { Name: exported } }]),
        ),
        Resources: imports.map((imported) => ({ 'Fn::ImportValue': imported })),
      },
    ]),
  );
}

function section(text: string, title: string): string {
  return text.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? '';
}
