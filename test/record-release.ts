/** For a new version: `node test/record-release.ts > test/fixtures/releases/VERSION.json` */
import { stageNames } from '../infra/stage-names.ts';
import { synthesised } from './infra/synthesised.ts';
import { linksOf } from './support/stack/stack-links.ts';

const made = await Promise.all(stageNames.map((stage) => synthesised({ stage })));
const stacks = made.flatMap(({ templates }) => [...templates]);
const linked = Object.fromEntries(stacks.map(([name, template]) => [name, linksOf(template)]));
console.log(JSON.stringify({ stacks: linked }, undefined, 2));
