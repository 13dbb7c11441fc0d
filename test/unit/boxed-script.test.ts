import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { boxedScript } from '../../functions/browser/scenario/boxed-script.ts';

/** What a script comes to, the whole of its value, and what a second script then sees of its names. */
function outcome(script: string, run: (script: string, page: object) => unknown) {
  const page = createContext({ seen: [] as unknown[] });
  const look = 'typeof a === "undefined" ? "none" : String(a) + typeof a';
  try {
    return {
      value: run(script, page),
      seen: page['seen'] as unknown,
      after: runInContext(look, page) as unknown,
    };
  } catch (error) {
    return { threw: String(error), seen: page['seen'] as unknown };
  }
}

const runBare = (script: string, page: object) => runInContext(script, page) as unknown;
function runBoxed(script: string, page: object): unknown {
  const box = runInContext(boxedScript(script), page) as [unknown, unknown?] | undefined;
  expect(box === undefined || typeof box === 'object', script).toBe(true);
  if (box?.length === 2) throw box[1];
  return box?.[0];
}

test.each([
  '1 + 1',
  ' // a comment\n"a string" ; ;',
  '"use strict"',
  '"use strict"; (function () { return this === undefined })()',
  '"use strict"; const a = 1; class B {} typeof B + a',
  'const a = 1; a + 1',
  'let a = 1\na',
  'let a = 1\n;[a]',
  'var a = 1\n"last"',
  'var a = x => x\n;(a)(4)',
  'a = 5\n`${a}`',
  '5; let a = 6',
  '5; const { b, c: [a = 2, ...d], ...e } = { b: 1, c: [], f: 3 }',
  'let a; const b = 2; a = b',
  'class a { static b = 1 } a.b',
  'class A {} class a extends A { }; new a() instanceof A',
  'function a() { return 7 } a()',
  'seen.push(typeof a); function a() {}',
  'async function a() {} function* b() {} typeof b',
  'if (seen) "yes"; else "no"',
  'if (!seen) { "yes" } else { "no" }',
  'if (false) 1',
  '1; if (true) {}',
  'for (var a = 0; a < 3; a += 1) a * 2',
  'for (const each of [1, 2]) { each; }',
  'for (let each in { a: 1 }) each',
  'while (seen.length < 2) seen.push(1)',
  'do seen.push(1); while (seen.length < 2)',
  'outer: for (;;) { "out"; break outer; }',
  'switch (2) { case 1: "one"; case 2: "two"; break; default: "else" }',
  'try { throw 1 } catch (e) { e + 1 } finally { 5 }',
  'try { "fine" } finally { "not this" }',
  '{ a: 1 }',
  '({ a: 1 })',
  '{ let a = 3; a }',
  'var a = 1; with ({ a: 2 }) a',
  '"a"; function b() {}',
  '(1, 2)',
  '(a => { seen.push(a) })(1)',
  'var a = async () => 1; typeof a()',
  'debugger; 3',
  '',
  ';',
  '// nothing',
  '<!-- of old\n3',
  'throw 7',
  'throw new Error("broken")',
  'const a = 1; throw new TypeError(String(a))',
  'seen.push(1); seen.push(nowhere)',
  'syntax error',
  'return 1',
  'var a = 1; var a = 2; a',
  'let b = 1; b = 2; b',
])('a script in a box comes to the same: %j', (script) => {
  expect(outcome(script, runBoxed)).toEqual(outcome(script, runBare));
});

test('the names of a script are there for the next one', () => {
  const page = createContext({});
  for (const script of [
    'const a = 1; let { b, c = 3 } = { b: 2 }',
    'class D { e = 4 }',
    'async function f() {}',
  ])
    runBoxed(script, page);
  expect(runBoxed('[a, b, c, new D().e, typeof f].join()', page)).toBe('1,2,3,4,function');
});

test('a script too deep to be read is run', () => {
  const script = `${'['.repeat(3_000)}${']'.repeat(3_000)}.length`;
  expect(runBoxed(script, createContext({}))).toBe(1);
});
