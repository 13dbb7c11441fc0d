import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { bash, blocks, runbook } from '../support/runbook.ts';
import { ofType, synthesised } from './synthesised.ts';

const { service } = await synthesised();
const alarms = ofType(service, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) => anchorOf(title));

/** Sections that no alarm leads to. */
const OTHERS = ['restore'];

it('has a section for every alarm, and few others', () => {
  const linked = alarms.map(
    ({ AlarmDescription: text }) => /docs\/runbook\.md#(.+)$/.exec(String(text))?.[1],
  );
  expect([...new Set([...linked, ...OTHERS])].sort()).toEqual(sections.sort());
});

it('leads nowhere but to its own sections', () => {
  const links = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(0);
  expect(sections).toEqual(expect.arrayContaining(links));
});

it('says in every section what to type', () => {
  const silent = runbook.split(/^## /m).filter((section) => !section.includes('```sh'));
  expect(silent).toEqual([]);
});

it('types what bash can read, and scripts that there are', async () => {
  await bash(`bash -n <<'BLOCKS'\n${blocks.join('\n')}\nBLOCKS`, {});
  const scripts = [...runbook.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, script]) => script);
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
});

it('names resources that the stack has', () => {
  const looked = runbook.matchAll(/id_of (\w+::\w+) (\w+)|^lines (\w+)/gm);
  for (const [, type = 'Logs::LogGroup', prefix, log] of looked) {
    const found = ofType(service, `AWS::${type}`).filter(([id]) => id.startsWith(prefix ?? log ?? ''));
    expect(found).toHaveLength(1);
  }
});

/** As GitHub makes them. */
function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}
