import { type ChildNode, Element, isTag, isText } from 'domhandler';
import { find } from '../tree.ts';
import { fenceFor } from './marks.ts';
import { isBlock, type Writing } from './style.ts';

const GUTTER =
  /(?:^|[\s_-])(?:gutter|lineno|linenos|linenumbers?|line-numbers?-rows|ln-num|blob-num|hljs-ln-numbers|rouge-gutter|copy-btn|copy-button)(?:$|[\s_-])/i;
const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-)?|brush:\s*|sourceCode\s+)([\w+#.-]+)/i;
const NONE: ReadonlySet<string> = new Set(['none', 'plaintext', 'text', 'default', 'plain', 'nohighlight']);

/** A block of code with its own lines and its language. */
export function codeBlock(pre: Element, { style }: Writing): string {
  const text = linesOf(pre).replace(/^\n+/, '').trimEnd();
  if (text.trim() === '') return '';
  if (style === 'text') return text;
  const fence = fenceFor(text, '`', 3);
  return `${fence}${languageOf(pre)}\n${text}\n${fence}`;
}

function linesOf(pre: Element): string {
  let text = '';
  const endLine = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n';
  };
  const add = (node: ChildNode): void => {
    if (isText(node)) text += node.data.replace(/\r\n?/g, '\n');
    if (!isTag(node) || isLeftOut(node)) return;
    if (node.name === 'br') text += '\n';
    const isLine = (isBlock(node) && node.name !== 'td' && node.name !== 'tbody') || isLoneLine(node);
    if (isLine) endLine();
    node.children.forEach(add);
    if (isLine) endLine();
  };
  pre.children.forEach(add);
  return text;
}

/** Highlighters put each line into an element of its own, some without an end of line between them. */
function isLoneLine({ name, attribs, next }: Element): boolean {
  return name === 'span' && /(?:^|\s|-)line$/.test(attribs.class ?? '') && next !== null && isTag(next);
}

function isLeftOut({ name, attribs }: Element): boolean {
  return name === 'button' || name === 'style' || name === 'script' || GUTTER.test(attribs.class ?? '');
}

function languageOf(pre: Element): string {
  const inner = find(pre, ({ name }) => name === 'code');
  const around = [inner, pre, ...ancestors(pre, 3)];
  for (const element of around) {
    if (!element) continue;
    const { attribs } = element;
    const name = LANGUAGE.exec(attribs.class ?? '')?.[1] ?? attribs['data-lang'] ?? attribs['data-language'];
    if (name) return NONE.has(name.toLowerCase()) ? '' : name.toLowerCase();
  }
  return '';
}

function ancestors({ parent }: Element, count: number): Element[] {
  return count > 0 && parent instanceof Element ? [parent, ...ancestors(parent, count - 1)] : [];
}

/** True for a table that only lays out the lines of a code block beside their numbers. */
export function isCodeTable(table: Element): boolean {
  if (!find(table, ({ name }) => name === 'pre' || name === 'code')) return false;
  return find(table, ({ name, attribs }) => name === 'td' && GUTTER.test(attribs.class ?? '')) !== undefined;
}
