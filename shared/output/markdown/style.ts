import type { Element } from 'domhandler';

/** How a page is written: as Markdown, or as text alone. */
export type Style = 'markdown' | 'text';

/** What decides how the nodes of a page become nodes of Markdown. */
export type Writing = {
  /** Whether an element is written at all. */
  isLeft: (element: Element) => boolean;
  /** Whether an element is a block, or has one inside it. */
  holdsBlock: (element: Element) => boolean;
  /** An absolute URL; undefined for scripts and for what is no URL. */
  absolute: (url: string) => string | undefined;
  /** The labels of footnotes, by the id of their element. */
  notes: ReadonlyMap<string, string>;
};

const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul caption option optgroup select'.split(
    ' ',
  ),
);

export const isBlock = ({ name }: Element): boolean => BLOCKS.has(name);
