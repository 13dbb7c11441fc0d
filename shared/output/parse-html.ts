import {
  type ChildNode,
  DomHandler,
  Element,
  type Document,
  isDirective,
  isTag,
  isText,
  type ParentNode,
} from 'domhandler';
import { Parser } from 'htmlparser2';
import { NotConvertible } from './not-convertible.ts';

/** Deeper elements become siblings, as in Chromium: `kMaximumHTMLParserDOMTreeDepth`. */
const MAX_DEPTH = 512;
/** The parser's own stack grows with the square of the depth. */
const MAX_OPEN = 20_000;

/** Parses XML, whose names keep their case. */
export function parseXml(xml: string): Document {
  const tree = new ShallowTree();
  new Parser(tree, { xmlMode: true, decodeEntities: true }).end(xml);
  return tree.root;
}

/** Parses HTML into a tree of limited depth that has the elements that browsers add. */
export function parseHtml(html: string): Document {
  const tree = new ShallowTree();
  new Parser(tree, { decodeEntities: true, lowerCaseTags: true }).end(html);
  for (const table of tree.tables) addBody(table);
  addRoot(tree.root);
  return tree.root;
}

const HEAD: ReadonlySet<string> = new Set(['title', 'meta', 'link', 'base', 'style', 'script']);

/** Adds the `html`, `head` and `body` that a page leaves to the browser. */
function addRoot(document: Document): void {
  const first = document.children.findIndex((node) => !isDirective(node));
  const html = document.children.find(isNamed('html')) ?? wrapped(document, 'html', first);
  if (!html.children.some((node) => isNamed('body')(node) || isNamed('frameset')(node)))
    wrapped(html, 'body', html.children.findIndex(isOfBody));
  if (html.children.some(isNamed('head'))) return;
  const end = html.children.findIndex((node) => isTag(node) && !HEAD.has(node.name));
  wrapped(html, 'head', 0, end);
}

const isNamed =
  (name: string) =>
  (node: ChildNode): node is Element =>
    isTag(node) && node.name === name;

function isOfBody(node: ChildNode): boolean {
  if (isTag(node)) return node.name !== 'head' && !HEAD.has(node.name);
  return isText(node) && node.data.trim() !== '';
}

/** Puts the children of `parent` between two places, or from one to the end, into a new element there. */
function wrapped(parent: ParentNode, name: string, from: number, to = parent.children.length): Element {
  const children = parent.children;
  const start = from < 0 ? children.length : from;
  const element = new Element(name, {});
  parent.children = [];
  adopt(parent, children.slice(0, start));
  append(parent, element);
  adopt(parent, children.slice(to));
  adopt(element, children.slice(start, to));
  return element;
}

function adopt(parent: ParentNode, children: readonly ChildNode[]): void {
  for (const child of children) {
    [child.prev, child.next] = [null, null];
    append(parent, child);
  }
}

/** The thread's memory holds a tree of so many nodes, and what is computed about them. */
const MAX_NODES = 500_000;

class ShallowTree extends DomHandler {
  readonly tables: Element[] = [];
  #nodes = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > MAX_OPEN) throw new NotConvertible('depth');
    super.onopentag(name, attributes);
    const opened = this.tagStack.at(-1);
    if (name === 'table' && opened instanceof Element) this.tables.push(opened);
  }

  protected override addNode(node: ChildNode): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new NotConvertible('memory');
    const parent = this.tagStack[Math.min(this.tagStack.length, MAX_DEPTH) - 1];
    append(parent ?? this.root, node);
    this.lastNode = null;
  }
}

function append(parent: ParentNode, node: ChildNode): void {
  const previous = parent.children.at(-1);
  parent.children.push(node);
  if (previous) [node.prev, previous.next] = [previous, node];
  node.parent = parent;
}

/** Rows without a `tbody` get one, which selectors copied from a browser expect. */
function addBody(table: Element): void {
  if (!table.children.some((child) => isTag(child) && child.name === 'tr')) return;
  const children = table.children;
  table.children = [];
  let body: Element | undefined;
  for (const child of children) {
    [child.prev, child.next] = [null, null];
    const isRow = isTag(child) ? child.name === 'tr' : body !== undefined;
    if (isRow && !body) append(table, (body = new Element('tbody', {})));
    if (isTag(child) && !isRow) body = undefined;
    append(isRow && body ? body : table, child);
  }
}
