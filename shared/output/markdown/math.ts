import type { Element } from 'domhandler';
import { elementsOf, find, rawText } from '../tree.ts';
import type { Writing } from './style.ts';

const TEX = 'application/x-tex';

/** A formula as TeX, from MathML's annotation, KaTeX or MathJax. Undefined for other elements. */
export function formula(element: Element, { style }: Writing): string | undefined {
  const { name, attribs } = element;
  if (name === 'script' && attribs.type?.startsWith('math/tex') === true)
    return marked(rawText(element), attribs.type.includes('mode=display'), style);
  const isWrapped = /(?:^|\s)(?:katex|mwe-math-element)(?:\s|$)/.test(attribs.class ?? '');
  if (name !== 'math' && !isWrapped) return undefined;
  const math = name === 'math' ? element : find(element, (inner) => inner.name === 'math');
  const tex = math && find(math, (inner) => inner.name === 'annotation' && inner.attribs.encoding === TEX);
  if (tex) return marked(rawText(tex), math.attribs.display === 'block', style);
  const alt = math?.attribs.alttext;
  if (alt) return marked(alt, math.attribs.display === 'block', style);
  return name === 'math' ? marked(texOf(element), attribs.display === 'block', style) : undefined;
}

type Layout = (parts: readonly string[]) => string;

/** What a row of characters would not say. */
const LAYOUTS: Readonly<Record<string, Layout>> = {
  mfrac: ([above = '', below = '']) => `\\frac{${above}}{${below}}`,
  msup: ([base = '', power = '']) => `${base}^{${power}}`,
  msub: ([base = '', index = '']) => `${base}_{${index}}`,
  msubsup: ([base = '', index = '', power = '']) => `${base}_{${index}}^{${power}}`,
  msqrt: (parts) => `\\sqrt{${parts.join('')}}`,
  mroot: ([base = '', degree = '']) => `\\sqrt[${degree}]{${base}}`,
};

/** Presentation MathML as TeX. */
function texOf(element: Element): string {
  const inner = elementsOf(element).filter(({ name }) => !/^annotation/.test(name));
  if (inner.length === 0) return rawText(element).replace(/\s+/g, '');
  const parts = inner.map(texOf);
  return LAYOUTS[element.name]?.(parts) ?? parts.join('');
}

function marked(tex: string, isDisplayed: boolean, style: Writing['style']): string {
  const source = tex.replace(/\s+/g, ' ').trim();
  if (style === 'text') return source;
  return isDisplayed ? `$$${source}$$` : `$${source}$`;
}
