import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import type { PhrasingContent } from 'mdast';
import { rawText } from '../../html/tree.ts';
import { formula } from './formula.ts';
import { encoded, imageOf } from './image.ts';
import type { Writing } from './style.ts';

type Kind = 'strong' | 'emphasis' | 'delete';
const KINDS: Readonly<Record<string, Kind>> = {
  ...{ b: 'strong', strong: 'strong' },
  ...{ em: 'emphasis', i: 'emphasis', cite: 'emphasis', dfn: 'emphasis', var: 'emphasis' },
  ...{ del: 'delete', s: 'delete', strike: 'delete' },
};
const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);
/** What anchors of headings show. */
const ANCHOR = /^[#¶§🔗\s]*$/u;

/** A run of inline nodes, with the white space of the page. */
export function phrasingOf(nodes: readonly ChildNode[], writing: Writing): PhrasingContent[] {
  return nodes.flatMap((node) => {
    if (isText(node)) return [text(node.data)];
    if (!isTag(node)) return [];
    const maths = formula(node);
    if (maths) return [maths];
    return writing.isLeft(node) ? inElement(node, writing) : [];
  });
}

const text = (value: string): PhrasingContent => ({ type: 'text', value });

type Read = (element: Element, writing: Writing) => PhrasingContent[];

const READERS: Readonly<Record<string, Read>> = {
  br: () => [{ type: 'break' }],
  wbr: () => [],
  img: (element, { absolute }) => imageOf(element, absolute),
  rt: reading,
  rp: () => [],
  q: (element, writing) => [text('“'), ...phrasingOf(element.children, writing), text('”')],
  sup: superscript,
  a: anchor,
};

function inElement(element: Element, writing: Writing): PhrasingContent[] {
  const { name, children } = element;
  const read = READERS[name];
  if (read) return read(element, writing);
  if (CODE.has(name)) return code(rawText(element));
  const inner = phrasingOf(children, writing);
  const kind = KINDS[name];
  return kind && inner.length > 0 ? [{ type: kind, children: inner }] : inner;
}

function code(source: string): PhrasingContent[] {
  const value = source.replace(/\s+/g, ' ');
  if (value.trim() === '') return [text(value)];
  const [before, after] = [value.startsWith(' '), value.endsWith(' ')];
  return [text(before ? ' ' : ''), { type: 'inlineCode', value: value.trim() }, text(after ? ' ' : '')];
}

function anchor(element: Element, writing: Writing): PhrasingContent[] {
  const { href = '', title } = element.attribs;
  const label = noteOf(href, writing);
  if (label !== undefined) return [{ type: 'footnoteReference', identifier: label, label }];
  if (isBackReference(element)) return [];
  const children = phrasingOf(element.children, writing);
  if (href.startsWith('#') && ANCHOR.test(rawText(element)) && children.every(({ type }) => type === 'text'))
    return [];
  const url = writing.absolute(href);
  if (url === undefined || children.length === 0) return children;
  const named = title && title !== rawText(element).trim() ? { title: title.replace(/\s+/g, ' ') } : {};
  return [{ type: 'link', url: encoded(url), ...named, children }];
}

function reading(element: Element, writing: Writing): PhrasingContent[] {
  const inner = phrasingOf(element.children, writing);
  return inner.length > 0 ? [text('('), ...inner, text(')')] : [];
}

function superscript(element: Element, writing: Writing): PhrasingContent[] {
  const isReference = element.children.some(
    (child) => isTag(child) && noteOf(child.attribs.href ?? '', writing) !== undefined,
  );
  if (!isReference && isPower(element)) return [text(`^${rawText(element).trim()}`)];
  return phrasingOf(element.children, writing);
}

/** 10 to the sixth is not 106. */
function isPower(sup: Element): boolean {
  const base = sup.prev && rawText(sup.prev).slice(-1);
  return /^\s*[-−+]?\d+\s*$/.test(rawText(sup)) && /[\p{L}\p{N})\]]/u.test(base ?? '');
}

function noteOf(href: string, { notes }: Writing): string | undefined {
  const hash = href.indexOf('#');
  return hash < 0 || notes.size === 0 ? undefined : notes.get(href.slice(hash + 1));
}

function isBackReference({ attribs }: Element): boolean {
  return (
    attribs.role === 'doc-backlink' ||
    /(?:^|[\s-])(?:backref|backlink|footnote-back)/.test(attribs.class ?? '') ||
    /^#(?:fnref|cite_ref|ref-?fn)/i.test(attribs.href ?? '')
  );
}
