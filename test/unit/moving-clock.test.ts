import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { pageScript } from '../../functions/browser/page/page-script.ts';

const PAGE = `
  class Performance { now() { return 7; } }
  class IdleDeadline { timeRemaining() { return 50; } }
  ${pageScript('moving-clock')}.moveClock();
`;
const run = (script: string) => runInNewContext(`${PAGE}${script}`, {}, { timeout: 10_000 }) as unknown;

test('a loop that waits for the clock sees it move', () => {
  const clock = 'const clock = new Performance();';
  expect(run(`${clock} while (clock.now() < 20); clock.now() < 21`)).toBe(true);
  expect(run(`${clock} for (let n = 0; n < 10_000; n += 1) clock.now(); clock.now()`)).toBe(7);
});

test('each idle callback has its own time, however often the one before has looked for the end of its own', () => {
  const slice = 'const idle = new IdleDeadline(); while (idle.timeRemaining() > 0);';
  expect(run(`for (let n = 0; n < 3; n += 1) { ${slice} } new IdleDeadline().timeRemaining()`)).toBe(50);
});
