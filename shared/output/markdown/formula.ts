import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { MathMLToLaTeX } from 'mathml-to-latex';
import { outerHtml } from '../../html/outer-html.ts';
import { find, rawText } from '../../html/tree.ts';
import type { InlineMath } from './nodes.ts';

const TEX = /^(?:application\/x-tex|TeX|LaTeX)$/i;

/** A formula as TeX, by its annotation, KaTeX, MathJax or MathML. Undefined for other elements. */
export function formula(element: Element): InlineMath | undefined {
  const { name, attribs } = element;
  if (name === 'script' && attribs.type?.startsWith('math/tex') === true)
    return inlineMath(rawText(element), attribs.type.includes('mode=display'));
  const isWrapped = /(?:^|\s)(?:katex|mwe-math-element)(?:\s|$)/.test(attribs.class ?? '');
  if (name !== 'math' && !isWrapped) return undefined;
  const math = name === 'math' ? element : find(element, (inner) => inner.name === 'math');
  if (!math) return undefined;
  const isDisplayed = math.attribs.display === 'block';
  const source = find(math, (inner) => inner.name === 'annotation' && TEX.test(inner.attribs.encoding ?? ''));
  const tex = source ? rawText(source) : math.attribs.alttext;
  if (tex) return inlineMath(tex, isDisplayed);
  return name === 'math' ? inlineMath(texOf(math), isDisplayed) : undefined;
}

/** Characters that HTML names and XML does not. */
const NOT_XML = /&nbsp;/g;
/** What a formula says in another notation. */
const ANNOTATION = /<(annotation(?:-xml)?)\b.*?<\/\1>/gs;

/** Presentation MathML as TeX; its characters if it cannot be read. */
function texOf(math: Element): string {
  try {
    const tex = MathMLToLaTeX.convert(outerHtml(math).replace(ANNOTATION, '').replace(NOT_XML, '&#160;'));
    if (tex.trim() !== '') return tex;
  } catch {
    // A formula that is cut off, or of elements that are none of MathML.
  }
  return charactersOf(math.children);
}

const charactersOf = (nodes: readonly ChildNode[]): string =>
  nodes.map((node) => (isTag(node) ? charactersIn(node) : isText(node) ? node.data : '')).join('');

const charactersIn = ({ name, children }: Element) =>
  name === 'annotation' || name === 'annotation-xml' ? '' : charactersOf(children);

const inlineMath = (tex: string, isDisplayed: boolean): InlineMath => ({
  type: 'inlineMath',
  value: tex.replace(/\s+/g, ' ').trim(),
  isDisplayed,
});
