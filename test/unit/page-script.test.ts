import { readdirSync } from 'node:fs';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { functionOf, methodOf, pageScript } from '../../functions/browser/page/page-script.ts';

const FOLDER = new URL('../../functions/browser/page/scripts/', import.meta.url);
const names = readdirSync(FOLDER).flatMap((file) => /^(.+)\.page\.js$/.exec(file)?.[1] ?? []);

test('every script for pages becomes one expression, without imports and exports', () => {
  expect(names).toContain('finder');
  for (const name of names) {
    expect(() => new Script(pageScript(name)), name).not.toThrow();
    expect(pageScript(name)).not.toMatch(/^(import|export)\b/m);
  }
});

test('the functions of a script can be called with arguments, and on an element', () => {
  const script = '({ join: (...parts) => parts.join() })';
  const run = (text: string) => new Script(text).runInNewContext() as unknown;
  expect(run(`(${functionOf(script, 'join')})(1, 2)`)).toBe('1,2');
  expect(run(`(${methodOf(script, 'join')}).call('an element', 1, 2)`)).toBe('an element,1,2');
});
