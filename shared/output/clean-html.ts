import { type ChildNode, Element, isTag, isText, Text } from 'domhandler';
import { outerHtml } from '../html/outer-html.ts';

type Page = {
  isLeft: (element: Element) => boolean;
  absolute: (href: string) => string | undefined;
};

/** Attributes that hold a URL, which becomes absolute. Without a URL to follow they are left out. */
const URLS: ReadonlySet<string> = new Set(['href', 'src', 'poster', 'cite']);
/** Attributes that only the page's own scripts, styles and sizes of screens use. */
const DROPPED = /^(?:on|data-)|^(?:style|srcset|sizes|nonce|integrity|loading|decoding|fetchpriority)$/;

/** Parts of a page as HTML: what its text is taken from, and images, without scripts and styles. */
export function cleanHtml(roots: readonly Element[], page: Page): string {
  return roots
    .flatMap((root) => cleaned(root, page))
    .map(outerHtml)
    .join('\n');
}

function cleaned(node: ChildNode, page: Page): ChildNode[] {
  if (isText(node)) return [new Text(node.data)];
  if (!isTag(node) || !page.isLeft(node)) return [];
  const children = node.children.flatMap((child) => cleaned(child, page));
  return [new Element(node.name, attributesOf(node, page), children)];
}

function attributesOf({ attribs }: Element, { absolute }: Page): Record<string, string> {
  const kept = Object.entries(attribs).flatMap(([name, value]) => {
    if (DROPPED.test(name)) return [];
    const written = URLS.has(name) ? absolute(value) : value;
    return written === undefined ? [] : [[name, written] as const];
  });
  return Object.fromEntries(kept);
}
