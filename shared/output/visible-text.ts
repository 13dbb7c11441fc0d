import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { isConcealed } from '../html/visible.ts';
import { isBlock } from './markdown/style.ts';

const SILENT: ReadonlySet<string> = new Set(['script', 'style', 'template']);

/** The text below an element, with a line feed where a block begins or ends. */
export function visibleText(element: Element): string {
  const parts: string[] = [];
  const add = (node: ChildNode): void => {
    if (isText(node)) parts.push(node.data);
    if (!isTag(node) || SILENT.has(node.name) || isConcealed(node)) return;
    const breaks = isBlock(node) || node.name === 'br';
    if (breaks) parts.push('\n');
    node.children.forEach(add);
    if (breaks) parts.push('\n');
  };
  element.children.forEach(add);
  return parts.join('');
}
