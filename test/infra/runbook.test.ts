import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { bash, blocks, runbook } from '../support/stack/runbook.ts';
import { ofType, synthesised } from './synthesised.ts';

const { service, dashboard } = await synthesised();
const alarms = [service, dashboard]
  .flatMap((stack) => ofType(stack, 'AWS::CloudWatch::Alarm'))
  .map(([, { Properties }]) => Properties);
const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) => anchorOf(title));

/** Sections without an alarm. */
const OTHERS = ['restore'];

test('the runbook has a section for every alarm', () => {
  const linked = alarms.map(
    ({ AlarmDescription: text }) => /docs\/runbook\.md#(.+)$/.exec(String(text))?.[1],
  );
  expect([...new Set([...linked, ...OTHERS])].sort()).toEqual(sections.sort());
});

test('links within the runbook lead to its sections', () => {
  const links = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(0);
  expect(sections).toEqual(expect.arrayContaining(links));
});

test('every section has commands', () => {
  const silent = runbook.split(/^## /m).filter((section) => !section.includes('```sh'));
  expect(silent).toEqual([]);
});

test('commands are valid bash and name existing scripts', async () => {
  await bash(`bash -n <<'BLOCKS'\n${blocks.join('\n')}\nBLOCKS`, {});
  const scripts = [...runbook.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, script]) => script);
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
});

test('commands name resources of the stack', () => {
  const looked = runbook.matchAll(
    /(?:^|\(|(STACK=sitefetch-\$STAGE-dashboard) )(?:id_of (\w+::\w+) (\w+)|lines (\w+))/gm,
  );
  for (const [, other, type = 'Logs::LogGroup', prefix, log] of looked) {
    const found = ofType(other ? dashboard : service, `AWS::${type}`).filter(([id]) =>
      id.startsWith(prefix ?? log ?? ''),
    );
    expect(found).toHaveLength(1);
  }
});

/** As GitHub builds it. */
function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}
