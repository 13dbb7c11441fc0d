import { type ChildNode, DomHandler, type Document } from 'domhandler';
import { Parser } from 'htmlparser2';
import { NotConvertible } from '../contract/scrape/not-convertible.ts';
import { MAX_NODES, MAX_OPEN } from './parse-html.ts';

/** Parses XML, whose names keep their case. Throws `NotConvertible` for more than fits into memory. */
export function parseXml(xml: string): Document {
  const tree = new LimitedTree();
  new Parser(tree, { xmlMode: true, decodeEntities: true }).end(xml);
  return tree.root;
}

class LimitedTree extends DomHandler {
  #nodes = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > MAX_OPEN) throw new NotConvertible('depth');
    super.onopentag(name, attributes);
  }

  protected override addNode(node: ChildNode): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new NotConvertible('memory');
    super.addNode(node);
  }
}
