import { type ChildNode, type Document, Element, isTag, isText, type ParentNode } from 'domhandler';
import { templateContents } from './tree.ts';
import { conceal } from './visible.ts';

/** https://dom.spec.whatwg.org/#valid-shadow-host-name, beside the names of custom elements */
const HOSTS: ReadonlySet<string> = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

type Host = { light: readonly ChildNode[]; unslotted: ReadonlySet<ChildNode> };
const hosts = new WeakMap<ParentNode, Host>();
const hostOf = new WeakMap<ChildNode, Element>();
const withShadowRoots = new WeakSet<Document>();

export const hasShadowRoots = (document: Document): boolean => withShadowRoots.has(document);

/**
 * Puts declared shadow roots in the place of their templates: slots hold what is slotted, or their fallback.
 * https://drafts.csswg.org/css-scoping/#flattening
 */
export function fillShadowRoots(document: Document): void {
  const open: ParentNode[] = [document];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at instanceof Element && fill(at)) withShadowRoots.add(document);
    for (const child of at.children) if (isTag(child)) open.push(child);
  }
}

/** The element that a slotted node is a child of in the page's own tree, which selectors match. */
export const lightParentOf = (node: ChildNode): ParentNode | null => hostOf.get(node) ?? node.parent;

/** The children in the page's own tree, and in its shadow root. */
export function childrenOf(node: ParentNode): readonly ChildNode[] {
  const host = hosts.get(node);
  return host ? [...new Set([...node.children, ...host.light])] : node.children;
}

/** The children of the same parent in the same tree. */
export function siblingsOf(node: ChildNode): readonly ChildNode[] {
  const parent = lightParentOf(node);
  if (!parent) return [node];
  const host = hosts.get(parent);
  if (!host) return parent.children;
  return hostOf.has(node) ? host.light : parent.children.filter((child) => !host.unslotted.has(child));
}

function fill(host: Element): boolean {
  const template = host.children.filter(isTag).find(isDeclaration);
  const content = template && templateContents.get(template);
  if (!content) return false;
  if (!HOSTS.has(host.name) && !host.name.includes('-')) return false;
  const light = host.children.filter((child) => child !== template);
  const shadow = content.children;
  const slotted = assign(shadow, light);
  const unslotted = light.filter(isTag).filter((child) => !slotted.has(child));
  unslotted.forEach(conceal);
  for (const child of light) hostOf.set(child, host);
  hosts.set(host, { light, unslotted: new Set(unslotted) });
  adopt(host, [...shadow, ...unslotted]);
  return true;
}

const isDeclaration = ({ name, attribs }: Element) =>
  name === 'template' && /^(?:open|closed)$/i.test(attribs.shadowrootmode ?? '');

/** Fills the slots of a shadow tree, the first of each name. Returns the slotted nodes. */
function assign(shadow: readonly ChildNode[], light: readonly ChildNode[]): ReadonlySet<ChildNode> {
  const waiting = new Map<string, ChildNode[]>();
  for (const child of light) {
    if (!isTag(child) && !isText(child)) continue;
    const name = isTag(child) ? (child.attribs.slot ?? '') : '';
    waiting.set(name, [...(waiting.get(name) ?? []), child]);
  }
  const slotted = new Set<ChildNode>();
  for (const slot of slotsIn(shadow)) {
    const name = slot.attribs.name ?? '';
    const children = waiting.get(name);
    waiting.delete(name);
    if (!children) continue;
    adopt(slot, children);
    for (const child of children) slotted.add(child);
  }
  return slotted;
}

function slotsIn(nodes: readonly ChildNode[]): Element[] {
  const slots: Element[] = [];
  const open = nodes.toReversed();
  for (let at = open.pop(); at; at = open.pop()) {
    if (!isTag(at)) continue;
    if (at.name === 'slot') slots.push(at);
    for (const child of at.children.toReversed()) open.push(child);
  }
  return slots;
}

function adopt(parent: ParentNode, children: ChildNode[]): void {
  parent.children = children;
  children.forEach((child, index) => {
    child.parent = parent;
    child.prev = children[index - 1] ?? null;
    child.next = children[index + 1] ?? null;
  });
}
