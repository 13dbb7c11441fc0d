import { type ChildNode, type Document, Element, isTag, isText, type ParentNode } from 'domhandler';
import { html } from 'parse5';

export const elementsOf = (node: ParentNode): Element[] => node.children.filter(isTag);

/** What a `template` holds is no part of the page: https://html.spec.whatwg.org/multipage/scripting.html#template-contents */
export const templateContents = new WeakMap<Element, Document>();

/** Whether a browser would show the page in quirks mode, in which ids and classes have no case. */
export const isQuirky = (document: Document): boolean => document['x-mode'] === html.DOCUMENT_MODE.QUIRKS;

const HTML: string = html.NS.HTML;

/** False for elements of SVG and MathML, whose names have a case. */
export const isHtml = ({ namespace }: Element): boolean => namespace === undefined || namespace === HTML;

/** The value of an attribute by its name in lower case. */
export function attributeOf(element: Element, name: string): string | undefined {
  const { attribs } = element;
  if (Object.hasOwn(attribs, name)) return attribs[name];
  if (isHtml(element)) return undefined;
  return Object.entries(attribs).find(([each]) => each.toLowerCase() === name)?.[1];
}

/** The first element below a node, in document order, that passes. */
export function find(node: ParentNode, test: (element: Element) => boolean): Element | undefined {
  for (const child of node.children) {
    if (!isTag(child)) continue;
    const found = test(child) ? child : find(child, test);
    if (found) return found;
  }
  return undefined;
}

/** All elements below a node, in document order, that pass. */
export function findAll(node: ParentNode, test: (element: Element) => boolean): Element[] {
  const found: Element[] = [];
  const visit = (parent: ParentNode) => {
    for (const child of parent.children) {
      if (!isTag(child)) continue;
      if (test(child)) found.push(child);
      visit(child);
    }
  };
  visit(node);
  return found;
}

/** The characters below a node, unchanged. */
export function rawText(node: ChildNode | ParentNode): string {
  if (isText(node)) return node.data;
  return 'children' in node ? node.children.map(rawText).join('') : '';
}

export function isInside(element: Element, test: (ancestor: Element) => boolean): boolean {
  for (let at = element.parent; at instanceof Element; at = at.parent) if (test(at)) return true;
  return false;
}

/** The text of the heading that an element begins with. */
export function firstHeading(element: Element): string | undefined {
  const begins = beginning(element);
  return typeof begins === 'object' ? begins.heading : undefined;
}

/** What an element begins with. Each node is visited once. */
function beginning(element: Element): { heading: string } | 'text' | 'nothing' {
  let found: 'text' | 'nothing' = 'nothing';
  for (const child of element.children) {
    if (isText(child) && child.data.trim() !== '') return 'text';
    if (!isTag(child)) continue;
    if (child.name === 'script' || child.name === 'style') {
      if (rawText(child).trim() !== '') found = 'text';
      continue;
    }
    if (/^h[2-6]$/.test(child.name)) return { heading: rawText(child).trim() };
    if (child.name === 'h1') return 'text';
    const below = beginning(child);
    if (below !== 'nothing') return below;
  }
  return found;
}
