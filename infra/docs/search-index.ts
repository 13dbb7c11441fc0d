import MiniSearch from 'minisearch';
import type { GuidePage } from './guide-pages.ts';
import { slug } from './headings.ts';

type Entry = { id: string; page: string; heading: string; text: string };

const OPTIONS = { fields: ['page', 'heading', 'text'], storeFields: ['page', 'heading', 'excerpt'] };

const EXCERPT_CHARACTERS = 160;

/** The sections of `guide`, and other pages as a whole, as the function that serves them searches them. */
export function searchIndex(guide: readonly GuidePage[], others: readonly GuidePage[]): string {
  const index = new MiniSearch<Entry>({ ...OPTIONS, extractField: (entry, name) => valueOf(entry, name) });
  index.addAll([...guide.flatMap(sectionsOf), ...others.map(wholeOf)]);
  return JSON.stringify({ options: OPTIONS, index });
}

const wholeOf = ({ name, title, about, markdown }: GuidePage): Entry => ({
  id: name,
  page: title,
  heading: '',
  text: `${about}. ${markdown.replace(/^# .*\n/, '')}`,
});

function valueOf(entry: Entry, name: string): string {
  if (name === 'excerpt') return excerptOf(plainText(entry.text));
  return entry[name as keyof Entry];
}

/** The first words of a text. */
const excerptOf = (text: string) =>
  text.length <= EXCERPT_CHARACTERS ? text : text.slice(0, EXCERPT_CHARACTERS).replace(/ \S*$/, ' …');

/** A page's part before its first heading, and each part below a heading. */
function sectionsOf({ name, title, about, markdown }: GuidePage): Entry[] {
  const [first = '', ...others] = markdown.replace(/^# .*\n/, '').split(/^(?=#{2,3} )/m);
  const below = others.map((part) => {
    const [, heading = '', text = ''] = /^#+ (.*)\n([^]*)$/.exec(part) ?? [];
    return { id: `${name}#${slug(heading)}`, page: title, heading: plainText(heading), text };
  });
  return [{ id: name, page: title, heading: '', text: `${about}. ${first}` }, ...below];
}

/** Markdown without its marks. */
function plainText(markdown: string): string {
  return markdown
    .replace(/```\w*\n|```/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\|[ :|-]+\|$/gm, '')
    .replace(/[`|*]|^(#+|-) /gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
