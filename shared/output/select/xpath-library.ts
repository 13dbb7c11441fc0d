import type { Document, Element } from 'domhandler';
import xpath from 'xpath';
import { Views, type XPathAttribute, XPathNode } from './xpath-node.ts';
import type { Node } from './xpath-values.ts';

const { PathExpr, Step } = xpath;
type Step = InstanceType<typeof Step>;

const applyStep = PathExpr.applySteps;
// The package joins what a step finds in quadratic time, and keeps what it finds twice.
PathExpr.applySteps = (steps, context, nodes) => {
  let from = [...nodes];
  for (const step of joined(steps))
    from = [...new Set(from.flatMap((node) => applyStep([step], context, [node])))];
  return from;
};

/** `//a` as one step instead of one to every node and one to its children. */
function joined(steps: readonly Step[]): Step[] {
  return steps.flatMap((step, index) => {
    if (isAnywhere(step) && isFree(steps[index + 1])) return [];
    const before = steps[index - 1];
    const isJoined = before && isAnywhere(before) && isFree(step);
    return [isJoined ? new Step(Step.DESCENDANT, step.nodeTest, step.predicates) : step];
  });
}

const isAnywhere = (step: Step) => String(step) === 'descendant-or-self::node()';

/** A step to children whose predicates, if any, do not count positions. */
const isFree = (step: Step | undefined) =>
  step?.axis === Step.CHILD && step.predicates.every((predicate) => IS_CONDITION.test(String(predicate)));
const IS_CONDITION =
  /^(?!.*(?:position|last)\(\))(?:\(.* (?:=|!=|and|or) .*\)|(?:contains|starts-with|not)\(.*)$/s;

/** Evaluates an XPath by the package alone, from an element or from the document. */
export function libraryOver(document: Document) {
  const views = new Views(document);
  return (expression: string, context: Element | undefined): Node[] | string => {
    const node = context ? views.of(context) : views.document;
    const result = xpath.parse(expression).evaluate({ node, isHtml: true });
    const found = result.toArray?.() as (XPathNode | XPathAttribute)[] | undefined;
    return found?.map(nodeOf) ?? result.toString();
  };
}

const nodeOf = (view: XPathNode | XPathAttribute): Node =>
  view instanceof XPathNode
    ? view.node
    : { owner: view.ownerElement.node as Element, name: view.name, value: view.value };
