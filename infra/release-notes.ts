import { readFile } from 'node:fs/promises';

/** `node infra/release-notes.ts VERSION`: what a release of this version says. Needs no package. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## \[/m);
  const section = sections.find((text) => text.startsWith(`${version}] - `));
  const notes = section
    ?.split('\n')
    .slice(1)
    .join('\n')
    .replace(/^\[[^\]]+\]: \S+$/gm, '')
    .trim();
  if (notes === undefined || notes === '') throw new Error(`CHANGELOG.md says nothing about ${version}.`);
  return notes;
}

if (import.meta.main) {
  const file = new URL('../CHANGELOG.md', import.meta.url);
  console.log(notesOf(await readFile(file, 'utf8'), process.argv[2] ?? ''));
}
