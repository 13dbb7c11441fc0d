import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { rawText } from '../tree.ts';
import { code, emphasised, escaped, linked, pictured } from './marks.ts';
import { formula } from './math.ts';
import type { Writing } from './style.ts';

const STRONG: ReadonlySet<string> = new Set(['b', 'strong']);
const EMPHASIS: ReadonlySet<string> = new Set(['em', 'i', 'cite', 'dfn', 'var']);
const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);
const STRUCK: ReadonlySet<string> = new Set(['del', 's', 'strike']);
/** What anchors of headings show. */
const ANCHOR = /^[#¶§🔗\s]*$/u;

/** Ends a line that the page itself ends. */
export const LINE_BREAK = '\u2028';

/** A run of inline nodes in one paragraph. */
export function inline(nodes: readonly ChildNode[], writing: Writing): string {
  return nodes.map((node) => written(node, writing)).join('');
}

/** The run with its white space collapsed as in a browser. */
export function tidy(run: string, { style }: Pick<Writing, 'style'>): string {
  const lines = run
    .replace(UNSEEN, '')
    .split(LINE_BREAK)
    .map((line) => line.replace(/[ \t\r\n\f]+/g, ' ').trim());
  const text = lines.join(style === 'markdown' ? '  \n' : '\n');
  // Two breaks in a row are meant as the end of a paragraph.
  return text.replace(/(?: *\n){2,}/g, '\n\n').trim();
}

/** Soft hyphens and spaces without width, which would split words. */
const UNSEEN = /[\u00ad\u200b\ufeff]/g;

function written(node: ChildNode, writing: Writing): string {
  if (isText(node)) return writing.style === 'markdown' ? escaped(node.data) : node.data;
  if (!isTag(node)) return '';
  const maths = formula(node, writing);
  if (maths !== undefined) return maths;
  return writing.isLeft(node) || node.name === 'input' ? element(node, writing) : '';
}

function element(node: Element, writing: Writing): string {
  const { name, attribs } = node;
  if (name === 'br') return LINE_BREAK;
  if (name === 'wbr') return '';
  if (name === 'img') return pictured(node, writing);
  if (name === 'input') return attribs.type === 'checkbox' ? checkbox(attribs, writing) : '';
  if (name === 'rt') return `(${inline(node.children, writing)})`;
  if (name === 'rp') return '';
  if (name === 'sup' && isNoteReference(node, writing)) return inline(node.children, writing);
  if (name === 'sup' && isPower(node)) return `^${rawText(node).trim()}`;
  if (name === 'a') return anchor(node, writing);
  if (writing.style === 'text') return inline(node.children, writing);
  if (CODE.has(name)) return code(rawText(node));
  const inner = inline(node.children, writing);
  if (STRONG.has(name)) return emphasised('**', inner);
  if (EMPHASIS.has(name)) return emphasised('*', inner);
  if (STRUCK.has(name)) return emphasised('~~', inner);
  return name === 'q' ? `“${inner}”` : inner;
}

function checkbox(attribs: Element['attribs'], { style }: Writing): string {
  return style === 'markdown' ? `[${'checked' in attribs ? 'x' : ' '}] ` : '';
}

function anchor(node: Element, writing: Writing): string {
  const { href = '' } = node.attribs;
  const label = noteOf(href, writing);
  if (label !== undefined) return writing.style === 'markdown' ? `[^${label}]` : `[${label}]`;
  if (isBackReference(node)) return '';
  const inner = inline(node.children, writing);
  if (href.startsWith('#') && ANCHOR.test(inner)) return '';
  if (writing.style === 'text') return inner;
  return linked(inner, writing.absolute(href), node.attribs.title);
}

/** 10 to the sixth is not 106. */
function isPower(sup: Element): boolean {
  const base = sup.prev && rawText(sup.prev).slice(-1);
  return /^\s*[-−+]?\d+\s*$/.test(rawText(sup)) && /[\p{L}\p{N})\]]/u.test(base ?? '');
}

function isNoteReference(sup: Element, writing: Writing): boolean {
  return sup.children.some(
    (child) => isTag(child) && noteOf(child.attribs.href ?? '', writing) !== undefined,
  );
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
