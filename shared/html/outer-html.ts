import { type ChildNode, isComment, isTag, isText } from 'domhandler';
import { templateContents } from './tree.ts';

/** https://html.spec.whatwg.org/multipage/syntax.html#void-elements */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
/** Elements whose text is written unescaped: https://html.spec.whatwg.org/multipage/parsing.html#serialising-html-fragments */
const RAW: ReadonlySet<string> = new Set('style script xmp iframe noembed noframes plaintext'.split(' '));

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\u00a0': '&nbsp;',
};
const inText = (text: string) => text.replace(/[&<>\u00a0]/g, (each) => ENTITIES[each] ?? each);
const inValue = (text: string) => text.replace(/[&"\u00a0]/g, (each) => ENTITIES[each] ?? each);

/** A node as HTML, as a browser writes it. */
export function outerHtml(node: ChildNode): string {
  if (isText(node)) return inText(node.data);
  if (isComment(node)) return `<!--${node.data}-->`;
  if (!isTag(node)) return '';
  const attributes = Object.entries(node.attribs).map(([name, value]) => ` ${name}="${inValue(value)}"`);
  const start = `<${node.name}${attributes.join('')}>`;
  if (VOID.has(node.name)) return start;
  const isRaw = RAW.has(node.name);
  const { children } = templateContents.get(node) ?? node;
  const inner = children.map((child) => (isRaw && isText(child) ? child.data : outerHtml(child)));
  return `${start}${inner.join('')}</${node.name}>`;
}
