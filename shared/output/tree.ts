import { type ChildNode, Element, isTag, isText, type ParentNode } from 'domhandler';

export const elementsOf = (node: ParentNode): Element[] => node.children.filter(isTag);

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

/** The characters below a node, as they are written. */
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
  for (const child of element.children) {
    if (isText(child) && child.data.trim() !== '') return undefined;
    if (!isTag(child) || child.name === 'script' || child.name === 'style') continue;
    if (/^h[2-6]$/.test(child.name)) return rawText(child).trim();
    if (/^h1$/.test(child.name)) return undefined;
    const found = firstHeading(child);
    if (found !== undefined) return found;
    if (rawText(child).trim() !== '') return undefined;
  }
  return undefined;
}
