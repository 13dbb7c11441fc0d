/** A part of the text that is code, whose lines may look like headings and links. */
const FENCED = /^```[^]*?^```$/gm;

export type Heading = { depth: number; title: string };

/** The headings below the title, outside of code. */
export function headingsIn(source: string): Heading[] {
  return [...source.replace(FENCED, '').matchAll(/^(#{2,3}) (.+)$/gm)].map(([, marks = '', title = '']) => ({
    depth: marks.length,
    title,
  }));
}

/** Changes the text of Markdown and leaves its blocks of code. */
export function outsideCode(source: string, change: (text: string) => string): string {
  const blocks = source.match(FENCED) ?? [];
  const texts = source.split(FENCED).map(change);
  return texts.map((text, index) => text + (blocks[index] ?? '')).join('');
}

/** As GitHub names headings, so that one link works in both places. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
