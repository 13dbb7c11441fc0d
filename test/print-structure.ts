import { sizes, soleNeighbours, structureOf } from './support/stack/structure.ts';

const FOLDERS = ['functions', 'shared', 'shared/contract', 'shared/domain', 'shared/use-cases'];

for (const folder of [...FOLDERS, 'shared/adapters/dynamodb', 'functions/browser', 'functions/worker']) {
  const { parts, levels, dependencies, circular } = structureOf(folder);
  console.log(`${folder}: ${parts} parts, ${levels} levels, ${dependencies} dependencies`);
  for (const { from, to, lines } of circular) console.log(`  circular: ${from} -> ${to} (${lines} imports)`);
}
const small = soleNeighbours();
console.log(`${small.length} files of at most 40 lines have one reader, in the same folder`);
for (const [name, count] of Object.entries(sizes())) console.log(`${count} ${name}`);
