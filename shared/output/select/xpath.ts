import type { Element } from 'domhandler';
import xpath from 'xpath';
import type { PageIndex } from './page-index.ts';
import { libraryOver } from './xpath-library.ts';
import { planOf } from './xpath-plan.ts';
import { type Node, toText } from './xpath-values.ts';

type Found = (context: Element | undefined) => Node[] | string;

/** Finds the nodes or the value of an XPath 1.0 expression, from an element or from the document. */
export function xpathOver(index: () => PageIndex) {
  const plans = new Map<string, Found>();
  return (expression: string, context: Element | undefined): Node[] | string => {
    const plan = plans.get(expression) ?? prepared(expression, index());
    plans.set(expression, plan);
    return plan(context);
  };
}

function prepared(expression: string, index: PageIndex): Found {
  const plan = planOf(xpath.parse(expression).expression.expression, index);
  if (!plan) {
    const search = libraryOver(index.document);
    return (context) => search(expression, context);
  }
  return (context) => {
    const value = plan({ node: context ?? index.document, position: 1, size: 1 });
    return Array.isArray(value) ? value : toText(value);
  };
}
