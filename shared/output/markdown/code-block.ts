import { type ChildNode, Element, isTag, isText } from 'domhandler';
import type { BlockContent } from 'mdast';
import { find, rawText } from '../../html/tree.ts';
import { gutterIn, isGutter, numbersIn } from './gutter.ts';
import { isBlock } from './style.ts';

const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-)?|brush:\s*|sourceCode\s+)([\w+#.-]+)/i;
const NONE: ReadonlySet<string> = new Set(['none', 'plaintext', 'text', 'default', 'plain', 'nohighlight']);
/** Editors that show code without `pre`: CodeMirror, Ace and Monaco. */
const EDITOR = /(?:^|\s)(?:CodeMirror-code|cm-content|ace_text-layer|view-lines)(?:\s|$)/;
const CODE_CELL = /(?:^|[\s_-])(?:code|blob-code|js-file-line)(?:$|[\s_-])/i;

/** Whether an element shows lines of code, though no `pre` or `code` itself. */
export function isCode(element: Element): boolean {
  if (element.name === 'table') return isCodeTable(element);
  return element.attribs.class !== undefined && EDITOR.test(element.attribs.class);
}

/** A block of code with its own lines and its language. */
export function codeBlock(element: Element): BlockContent[] {
  const value = linesOf(element).replace(/^\n+/, '').trimEnd();
  if (value.trim() === '') return [];
  const lang = languageOf(element);
  return [{ type: 'code', value, ...(lang === '' ? {} : { lang }) }];
}

function linesOf(element: Element): string {
  const gutter = gutterIn(element);
  let text = '';
  const endLine = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n';
  };
  const add = (node: ChildNode): void => {
    if (isText(node)) text += node.data.replace(/\r\n?/g, '\n');
    if (!isTag(node) || isLeftOut(node) || gutter.has(node)) return;
    if (node.name === 'br') text += '\n';
    const isLine = (isBlock(node) && node.name !== 'td' && node.name !== 'tbody') || isLoneLine(node);
    if (isLine) endLine();
    node.children.forEach(add);
    if (isLine) endLine();
  };
  element.children.forEach(add);
  return text;
}

/** Highlighters put each line into an element of its own, some without an end of line between them. */
function isLoneLine({ name, attribs, next }: Element): boolean {
  return name === 'span' && /(?:^|\s|-)line$/.test(attribs.class ?? '') && next !== null && isTag(next);
}

const isLeftOut = (element: Element): boolean =>
  element.name === 'button' || element.name === 'style' || element.name === 'script' || isGutter(element);

function languageOf(element: Element): string {
  const inner = find(element, ({ name, attribs }) => name === 'code' && LANGUAGE.test(attribs.class ?? ''));
  const around = [inner, element, ...ancestors(element, 3)];
  for (const each of around) {
    if (!each) continue;
    const { attribs } = each;
    const name = LANGUAGE.exec(attribs.class ?? '')?.[1] ?? attribs['data-lang'] ?? attribs['data-language'];
    if (name) return NONE.has(name.toLowerCase()) ? '' : name.toLowerCase().replace(/\s.*/s, '');
  }
  return '';
}

function ancestors({ parent }: Element, count: number): Element[] {
  return count > 0 && parent instanceof Element ? [parent, ...ancestors(parent, count - 1)] : [];
}

/** True for a table that only lays out the lines of a code block beside their numbers. */
function isCodeTable(table: Element): boolean {
  const isCodeIn = ({ name, attribs }: Element) =>
    name === 'pre' || name === 'code' || (name === 'td' && CODE_CELL.test(attribs.class ?? ''));
  if (!find(table, isCodeIn)) return false;
  const isNumbers = (element: Element) =>
    element.name === 'td' && (isGutter(element) || (numbersIn(rawText(element))?.length ?? 0) > 1);
  return find(table, isNumbers) !== undefined;
}
