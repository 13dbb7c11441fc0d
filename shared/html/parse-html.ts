import { type AnyNode, Document, Element, type ParentNode } from 'domhandler';
import { parse, type Token, type TreeAdapter } from 'parse5';
import { adapter, type Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';
import { NotConvertible } from '../contract/scrape/not-convertible.ts';
import { fillShadowRoots } from './shadow-roots.ts';
import { findAll, templateContents } from './tree.ts';
import { conceal } from './visible.ts';

type Options = {
  /** Whether the page's scripts have run: then the contents of `noscript` are not elements. */
  isRendered?: boolean;
};

/**
 * The tree that a browser builds of HTML, with its shadow roots in place.
 * Throws `NotConvertible` for a page that would not fit into memory, or is nested too deeply.
 * https://html.spec.whatwg.org/multipage/parsing.html#tree-construction
 */
export function parseHtml(html: string, { isRendered = false }: Options = {}): Document {
  const document = parse(html, { treeAdapter: limitedAdapter(), scriptingEnabled: isRendered });
  fillShadowRoots(document);
  if (isRendered) findAll(document, ({ name }) => name === 'noscript').forEach(conceal);
  return document;
}

type Adapter = TreeAdapter<Htmlparser2TreeAdapterMap>;

/** Deeper elements become siblings, as in Chromium: `kMaximumHTMLParserDOMTreeDepth`. */
const MAX_DEPTH = 512;
/** The parser looks through the open elements at every tag. */
export const MAX_OPEN = 20_000;
/** The most nodes whose tree, with what is computed about it, fits into the thread's memory. */
export const MAX_NODES = 500_000;

function limitedAdapter(): Adapter {
  let nodes = 0;
  let open = 0;
  const count = () => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new NotConvertible('memory');
  };
  return {
    ...adapter,
    createElement(name, namespace, attributes) {
      count();
      const element = new Element(name, attributesOf(attributes), []);
      element.namespace = namespace;
      return element;
    },
    adoptAttributes(element, attributes) {
      element.attribs = { ...attributesOf(attributes), ...element.attribs };
    },
    getAttrList: ({ attribs }) => Object.entries(attribs).map(([name, value]) => ({ name, value })),
    createTextNode(text) {
      count();
      return adapter.createTextNode(text);
    },
    setTemplateContent: (template, content) => void templateContents.set(template, content),
    getTemplateContent: (template) => templateContents.get(template) ?? new Document([]),
    appendChild: (parent, node) => adapter.appendChild(shallow(parent, node), node),
    onItemPush() {
      open += 1;
      if (open > MAX_OPEN) throw new NotConvertible('depth');
    },
    onItemPop: () => void (open -= 1),
  };
}

const attributesOf = (attributes: readonly Token.Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ prefix, name, value }) => [prefix ? `${prefix}:${name}` : name, value]),
  );

/** The parent of a node, or the last ancestor that is not too deep. Depths stand in place of offsets. */
function shallow(parent: ParentNode, node: AnyNode): ParentNode {
  const depth = parent.startIndex ?? 0;
  if (depth < MAX_DEPTH || !parent.parent) {
    node.startIndex = depth + 1;
    return parent;
  }
  node.startIndex = depth;
  return parent.parent;
}
