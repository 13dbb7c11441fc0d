import { expect, test } from 'vitest';
import { saysNotYet } from '../../functions/browser/readiness/poll-answers.ts';

test.each([
  ['{"ready":false}', true],
  ['{"data":{"isComplete":false,"n":1}}', true],
  ['{"status":"in_progress"}', true],
  ['{"job":{"state":"Queued"}}', true],
  ['{"ready":true,"lines":[]}', false],
  ['{"status":"ok","online":false}', false],
  ['{"lines":[{"done":false}]}', false],
  ['"pending"', false],
  ['{"ready":false', false],
  [`{"ready":false,"text":"${'word '.repeat(400)}"}`, false],
])('whether a server says that it has nothing yet: %s', (text, isPending) => {
  expect(saysNotYet(text)).toBe(isPending);
});
