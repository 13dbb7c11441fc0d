import { FOLDERS, sizes, soleNeighbours, structureOf } from './support/stack/structure.ts';

for (const folder of FOLDERS) {
  const { parts, levels, dependencies, circular } = structureOf(folder);
  console.log(`${folder}: ${parts} parts, ${levels} levels, ${dependencies} dependencies`);
  for (const { from, to, lines } of circular) console.log(`  circular: ${from} -> ${to} (${lines} imports)`);
}
const small = soleNeighbours();
console.log(`${small.length} files of at most 40 lines have one reader, in the same folder`);
for (const [name, count] of Object.entries(sizes())) console.log(`${count} ${name}`);
