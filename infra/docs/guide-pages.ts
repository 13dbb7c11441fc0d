import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { type GuideEntry, guideEntries } from './guide-list.ts';
import { headingsIn, outsideCode, slug } from './headings.ts';

/** Its Markdown has a title, and links to pages of the service alone. */
export type GuidePage = Omit<GuideEntry, 'file' | 'from'> & { markdown: string };

type Part = GuideEntry & { source: string };

/** Pages that are written from something else than a file, by the path that a guide links to. */
const WRITTEN: Readonly<Record<string, string>> = {
  'docs/errors.md': 'errors.md',
  'docs/openapi.json': '../openapi.json',
  'docs/examples': 'programs.md',
};

/** The pages of the guide, from the repository's Markdown. Throws if a heading of the list is missing. */
export async function guidePages(): Promise<GuidePage[]> {
  const parts = await Promise.all(guideEntries.map(partOf));
  return parts.map(({ name, title, about, file, source }) => {
    const text = source.replace(/^# .*\n+/, '');
    return { name, title, about, markdown: `# ${title}\n\n${linked(text, file, parts).trim()}\n` };
  });
}

async function partOf(entry: GuideEntry): Promise<Part> {
  const { file, from } = entry;
  const source = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  const following = guideEntries[guideEntries.indexOf(entry) + 1];
  const until = following?.file === file ? following.from : undefined;
  const at = (heading: string | undefined, otherwise: number) => {
    const index = heading === undefined ? otherwise : source.indexOf(`\n## ${heading}\n`);
    if (index < 0) throw new Error(`${file} has no heading '${heading}'`);
    return index;
  };
  return { ...entry, source: source.slice(at(from, 0), at(until, source.length)) };
}

/** Links to pages of the service instead of files. What it does not serve stays as text. */
function linked(source: string, file: string, parts: readonly Part[]): string {
  return outsideCode(source, (text) =>
    text
      .replace(/!\[[^\]]*\]\([^)]*\)\n*/g, '')
      .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, label: string, href: string) => {
        if (/^https?:/.test(href)) return whole;
        const target = pageOf(href, file, parts);
        return target === undefined ? label : `[${label}](${target})`;
      }),
  );
}

function pageOf(href: string, file: string, parts: readonly Part[]): string | undefined {
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? file : posix.join(posix.dirname(file), path);
  const [written] = Object.entries(WRITTEN).filter(([prefix]) => target.startsWith(prefix));
  if (written) return `${written[1]}${anchor ? `#${anchor}` : ''}`;
  const ofFile = parts.filter((part) => part.file === target || part.file === `${target}/README.md`);
  const holds = ({ source }: Part) => headingsIn(source).some(({ title }) => slug(title) === anchor);
  const { name } = ofFile.find(holds) ?? ofFile[0] ?? {};
  return name && `${name}.md${anchor ? `#${anchor}` : ''}`;
}
