import { readdirSync, readFileSync } from 'node:fs';
import { exportsOf, importsOf, type StackLinks } from '../../../infra/deploy/exports-in-use.ts';

/** What the stacks of a released version export and import, by their names. */
export type Release = { stacks: Record<string, Links> };

type Links = { exports: string[]; imports: string[] };

const FOLDER = new URL('../../fixtures/releases/', import.meta.url);

/** The releases on record, by version. */
export const releases: readonly (readonly [version: string, Release])[] = readdirSync(FOLDER).map((file) => [
  file.replace(/\.json$/, ''),
  JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Release,
]);

export const linksOf = (template: StackLinks): Links => ({
  exports: exportsOf(template),
  imports: importsOf(template),
});
