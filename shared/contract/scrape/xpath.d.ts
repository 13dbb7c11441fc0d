/** The part of the package that this project calls. The package's own types need a browser's types. */
export type Parsed = { toString: () => string };

declare class Step {
  axis: number;
  nodeTest: { toString: () => string };
  predicates: readonly Parsed[];
  toString(): string;
}

declare abstract class Operation {
  lhs: Parsed;
  rhs: Parsed;
}

declare const xpath: {
  /** Throws if the text is no XPath 1.0 expression. */
  parse: (expression: string) => {
    expression: { expression: Parsed };
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
    STEPNAMES: Readonly<Record<number, string>>;
  };
  PathExpr: {
    new (): {
      filter?: Parsed;
      filterPredicates?: readonly Parsed[];
      locationPath?: { absolute: boolean; steps: readonly Step[] };
    };
    applySteps: (steps: readonly Step[], context: unknown, nodes: readonly unknown[]) => unknown[];
  };
  FunctionCall: new () => { functionName: string; arguments: readonly Parsed[] };
  XString: new () => { str: string };
  XNumber: new () => { num: number };
  UnaryMinusOperation: new () => { rhs: Parsed };
  OrOperation: typeof Operation;
  AndOperation: typeof Operation;
  BarOperation: typeof Operation;
  EqualsOperation: typeof Operation;
  NotEqualOperation: typeof Operation;
  LessThanOperation: typeof Operation;
  GreaterThanOperation: typeof Operation;
  LessThanOrEqualOperation: typeof Operation;
  GreaterThanOrEqualOperation: typeof Operation;
  PlusOperation: typeof Operation;
  MinusOperation: typeof Operation;
  MultiplyOperation: typeof Operation;
  DivOperation: typeof Operation;
  ModOperation: typeof Operation;
};
export default xpath;
