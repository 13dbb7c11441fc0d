/** What this project calls of the package, whose own types need those of a browser. */
declare class Step {
  axis: number;
  nodeTest: unknown;
  predicates: readonly { toString: () => string }[];
  toString(): string;
}

declare const xpath: {
  /** Throws if the text is no XPath 1.0 expression. */
  parse: (expression: string) => {
    evaluate: (options: { node: unknown; isHtml: boolean }) => {
      /** Only of a set of nodes. */
      toArray?: () => unknown[];
      toString: () => string;
    };
  };
  Step: {
    new (axis: number, nodeTest: unknown, predicates: Step['predicates']): Step;
    CHILD: number;
    DESCENDANT: number;
  };
  PathExpr: {
    applySteps: (steps: readonly Step[], context: unknown, nodes: readonly unknown[]) => unknown[];
  };
};
export default xpath;
