import { type AnyNode, Document, Element, isDirective, isText } from 'domhandler';

/** Otherwise `*` would take the doctype for an element. */
const DOCTYPE = 10;
const PRECEDING = 2;
const FOLLOWING = 4;

/** The parts of the W3C's DOM that XPath reads, over a node of the tree. */
export class XPathNode {
  readonly node: AnyNode;
  readonly nodeType: number;
  readonly nodeName: string;
  readonly localName: string;
  readonly ownerDocument: XPathNode | null;
  readonly namespaceURI = '';
  readonly #views: Views;
  #attributes: XPathAttributes | undefined;

  constructor(node: AnyNode, views: Views) {
    this.node = node;
    this.#views = views;
    this.nodeType = isDirective(node) ? DOCTYPE : node.nodeType;
    this.nodeName = node instanceof Element ? node.name : '#node';
    this.localName = this.nodeName;
    this.ownerDocument = node instanceof Document ? null : views.document;
  }

  get nodeValue(): string | null {
    return 'data' in this.node ? this.node.data : null;
  }
  get data(): string | null {
    return this.nodeValue;
  }
  get parentNode(): XPathNode | null {
    return this.#views.of(this.node.parent);
  }
  get firstChild(): XPathNode | null {
    return 'children' in this.node ? this.#views.of(this.node.children[0]) : null;
  }
  get nextSibling(): XPathNode | null {
    return this.#views.of(this.node.next);
  }
  get previousSibling(): XPathNode | null {
    return this.#views.of(this.node.prev);
  }
  get childNodes(): (XPathNode | null)[] {
    return 'children' in this.node ? this.node.children.map((child) => this.#views.of(child)) : [];
  }
  get documentElement(): XPathNode | null {
    const element =
      'children' in this.node ? this.node.children.find((child) => child instanceof Element) : null;
    return this.#views.of(element);
  }
  get attributes(): XPathAttributes | null {
    if (!(this.node instanceof Element)) return null;
    this.#attributes ??= attributesOf(this.node, this, this.#views);
    return this.#attributes;
  }
  compareDocumentPosition(other: XPathNode | XPathAttribute): number {
    return this.#views.order(this, other);
  }
  get textContent(): string {
    return textBelow(this.node);
  }
}

export type XPathAttribute = {
  nodeType: 2;
  name: string;
  nodeName: string;
  localName: string;
  value: string;
  nodeValue: string;
  namespaceURI: string;
  ownerElement: XPathNode;
  compareDocumentPosition: (other: XPathNode | XPathAttribute) => number;
};
type XPathAttributes = XPathAttribute[] & { item: (index: number) => XPathAttribute | undefined };

function attributesOf(element: Element, ownerElement: XPathNode, views: Views): XPathAttributes {
  const all = Object.entries(element.attribs).map(([name, value]): XPathAttribute => {
    const names = { name, nodeName: name, localName: name, namespaceURI: '' };
    return {
      ...{ nodeType: 2, ...names, value, nodeValue: value, ownerElement },
      compareDocumentPosition(other) {
        return views.order(this, other);
      },
    };
  });
  return Object.assign(all, { item: (index: number) => all[index] });
}

function textBelow(node: AnyNode): string {
  if (isText(node)) return node.data;
  return 'children' in node ? node.children.map(textBelow).join('') : '';
}

const ownerOf = (node: XPathNode | XPathAttribute) => (node instanceof XPathNode ? node : node.ownerElement);

/** Attributes follow their element, in the order of its tag. */
const placeInTag = (node: XPathNode | XPathAttribute) =>
  node instanceof XPathNode ? -1 : (node.ownerElement.attributes?.indexOf(node) ?? -1);

/** One view for each node, because XPath compares them. */
export class Views {
  readonly document: XPathNode;
  readonly #places = new Map<AnyNode, number>();
  readonly #known = new WeakMap<AnyNode, XPathNode>();

  constructor(document: Document) {
    this.document = new XPathNode(document, this);
    this.#known.set(document, this.document);
  }

  /** https://dom.spec.whatwg.org/#dom-node-comparedocumentposition */
  order(one: XPathNode | XPathAttribute, other: XPathNode | XPathAttribute): number {
    const distance = this.#placeOf(ownerOf(other)) - this.#placeOf(ownerOf(one));
    const order = distance || placeInTag(other) - placeInTag(one);
    if (order === 0) return 0;
    return order > 0 ? FOLLOWING : PRECEDING;
  }

  /** Nodes are numbered in document order. */
  #placeOf({ node }: XPathNode): number {
    if (this.#places.size === 0) this.#number(this.document.node);
    return this.#places.get(node) ?? 0;
  }

  #number(node: AnyNode): void {
    this.#places.set(node, this.#places.size);
    if ('children' in node) for (const child of node.children) this.#number(child);
  }

  of(node: AnyNode | null | undefined): XPathNode | null {
    if (!node) return null;
    const known = this.#known.get(node);
    if (known) return known;
    const view = new XPathNode(node, this);
    this.#known.set(node, view);
    return view;
  }
}
