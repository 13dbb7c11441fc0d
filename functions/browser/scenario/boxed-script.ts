import {
  type ExpressionStatement,
  parse,
  type Pattern,
  type Program,
  type Statement,
  type VariableDeclaration,
} from 'acorn';

/**
 * The same script with its value in a list of one, or `[0, error]` if it throws: Chromium sends strings, and
 * the words of errors and objects, whole, but a list as a reference, which can be measured in the page.
 */
export function boxedScript(script: string): string {
  try {
    return boxed(script, parse(script, { ecmaVersion: 'latest', sourceType: 'script' }));
  } catch {
    // Not a script, or syntax that only Chromium knows: there its declarations end with it.
    return caught(`${BOX}(0, eval)(${JSON.stringify(script)})];`);
  }
}

/** A variable name that no script uses. */
const UNUSED = '__sitefetch_unused__';
/** Begins with a word, so that it does not continue a line without a semicolon. */
const BOX = 'void 0 || [';

const caught = (body: string) => `try {\n${body}\n} catch (error) { ${BOX}0, error]; }`;

type Edit = { start: number; end: number; text: string };

/** Declarations stay outside of the `try`, for later scripts. */
function boxed(script: string, { body }: Program): string {
  const textOf = ({ start, end }: { start: number; end: number }) => script.slice(start, end);
  const [directives, functions, names]: [string[], string[], string[]] = [[], [], []];
  // Imports and exports are of modules alone.
  const edits = (body as Statement[]).flatMap((statement): Edit[] => {
    const { start, end, type } = statement;
    if (type === 'ExpressionStatement' && statement.directive !== undefined)
      directives.push(textOf(statement));
    if (type === 'FunctionDeclaration') {
      functions.push(textOf(statement));
      return [{ start, end, text: ';' }];
    }
    if (type === 'ClassDeclaration') {
      names.push(statement.id.name);
      return [{ start, end, text: assigned(`${statement.id.name} = ${textOf(statement)}`) }];
    }
    if (type !== 'VariableDeclaration' || statement.kind === 'var') return boxes(statement, textOf);
    names.push(...statement.declarations.flatMap(({ id }) => namesIn(id)));
    return [{ start, end, text: assignments(statement, textOf) }];
  });
  const declared = names.length > 0 ? [`let ${names.join(', ')};`] : [];
  return [...directives, ...functions, ...declared, caught(edited(script, edits))].join('\n');
}

type TextOf = (node: { start: number; end: number }) => string;

/** As an expression it would be the script's value. */
const assigned = (assignment: string) => `{ const ${UNUSED} = (${assignment}); }`;

function assignments({ declarations }: VariableDeclaration, textOf: TextOf): string {
  const set = declarations.filter(({ init }) => init);
  return set.map((each) => assigned(textOf(each))).join(' ') || ';';
}

/** Around each expression that may be the last one. */
function boxes(statement: Statement, textOf: TextOf): Edit[] {
  if (statement.type === 'ExpressionStatement') return [boxOf(statement, textOf)];
  return inside(statement).flatMap((inner) => boxes(inner, textOf));
}

function boxOf({ start, end, expression }: ExpressionStatement, textOf: TextOf): Edit {
  return { start, end, text: `${BOX}(${textOf(expression)})];` };
}

/** The statements whose value is this one's: https://tc39.es/ecma262/#sec-block-runtime-semantics-evaluation */
function inside(statement: Statement): readonly Statement[] {
  if (statement.type === 'BlockStatement') return statement.body;
  if (statement.type === 'SwitchStatement') return statement.cases.flatMap(({ consequent }) => consequent);
  if (statement.type === 'IfStatement') return present(statement.consequent, statement.alternate);
  if (statement.type === 'TryStatement')
    return present(statement.block, statement.handler?.body, statement.finalizer);
  return hasInner(statement) ? [statement.body] : [];
}

const AROUND_ONE: readonly string[] = [
  'DoWhileStatement',
  'ForInStatement',
  'ForOfStatement',
  'ForStatement',
  'LabeledStatement',
  'WhileStatement',
  'WithStatement',
];
const hasInner = (statement: Statement): statement is Statement & { body: Statement } =>
  AROUND_ONE.includes(statement.type);

const present = (...all: readonly (Statement | null | undefined)[]) => all.filter((each) => !!each);

function namesIn(pattern: Pattern): string[] {
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type === 'AssignmentPattern') return namesIn(pattern.left);
  if (pattern.type === 'RestElement') return namesIn(pattern.argument);
  if (pattern.type === 'ArrayPattern') return pattern.elements.flatMap((each) => (each ? namesIn(each) : []));
  if (pattern.type === 'MemberExpression') return [];
  return pattern.properties.flatMap((each) => namesIn(each.type === 'Property' ? each.value : each));
}

function edited(script: string, edits: readonly Edit[]): string {
  let [text, at] = ['', 0];
  for (const edit of edits) {
    text += script.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + script.slice(at);
}
