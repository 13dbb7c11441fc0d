import ts from 'typescript';

/** The literal parts of a test's title; a value from a table or a template fills each gap between them. */
export type Title = readonly string[];

/** A match of fewer literal characters could be a coincidence. */
const LEAST_LITERAL = 8;
const PLACEHOLDER = /%(?:\.\d+)?[sdifjoO]|\$[\w.]+/;

/** How many tests of a file `text` may name: by title, else by a row of a table that fills a title. */
export function countNamed(text: string, titles: readonly Title[], source: string): number {
  const literals = titles.map((parts) => literalsIn(parts, text));
  const most = Math.max(...literals);
  return most < LEAST_LITERAL
    ? source.split(text).length - 1
    : literals.filter((count) => count === most).length;
}

export function titlesIn(source: string): Title[] {
  const titles: Title[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) titles.push(partsOf(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.test.ts', source, ts.ScriptTarget.Latest));
  return titles;
}

/** `test`, `it` or `test.each(…)`, but not `test.each` itself, whose argument is a table. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'test' || callee.text === 'it';
  return (
    ts.isCallExpression(callee) &&
    ts.isPropertyAccessExpression(callee.expression) &&
    isTest(callee.expression.expression)
  );
}

function partsOf(title?: ts.Expression): Title {
  if (title && ts.isTemplateExpression(title))
    return [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)];
  return title && ts.isStringLiteralLike(title) ? title.text.split(PLACEHOLDER) : [];
}

/** How many literal characters `text` shares with the title, or -Infinity if it cannot be part of it. */
function literalsIn(parts: Title, text: string): number {
  const suffixes = parts.flatMap((part, index) =>
    Array.from(part, (_, from) => [part.slice(from), ...parts.slice(index + 1)]),
  );
  return Math.max(...[parts, ...suffixes].map((suffix) => literalsFrom(suffix, text)));
}

function literalsFrom([part, ...rest]: Title, text: string): number {
  if (part === undefined) return -Infinity;
  if (part.startsWith(text)) return text.length;
  if (!text.startsWith(part) || rest.length === 0) return -Infinity;
  const gap = text.slice(part.length);
  const ends = Array.from(gap, (_, from) => literalsFrom(rest, gap.slice(from)));
  return part.length + Math.max(0, ...ends);
}
