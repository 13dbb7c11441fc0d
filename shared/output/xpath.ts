import type { Document, Element } from 'domhandler';
import xpath from 'xpath';
import { Views, type XPathAttribute, type XPathNode } from './xpath-node.ts';

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

/** Finds the nodes or the value of an XPath 1.0 expression, from an element or from the document. */
export function xpathOver(document: Document) {
  const views = new Views(document);
  return (expression: string, context: Element | undefined): (XPathNode | XPathAttribute)[] | string => {
    const node = context ? views.of(context) : views.document;
    const result = xpath.parse(expression).evaluate({ node, isHtml: true });
    return (result.toArray?.() as (XPathNode | XPathAttribute)[] | undefined) ?? result.toString();
  };
}
