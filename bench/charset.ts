/**
 * `npm run bench:charset`: in how many pages without a declaration the service's detector shows the text that
 * Chromium shows. `-- --train` trains it, `-- --record` writes Chromium's answers for the tests.
 */
import { isUtf8 } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openChromium } from '../test/support/browser/chromium-charsets.ts';
import { type Document, documents, isShownAlike } from '../test/support/browser/undeclared-documents.ts';
import { rounded } from './compare.ts';
import { assertMet } from './goals.ts';

type Answer = Document & { chromium: string };

const RECORD = new URL('../test/fixtures/undeclared-pages.json', import.meta.url);
const RECORDED_EVERY = 8;

const { values } = parseArgs({ options: { train: { type: 'boolean' }, record: { type: 'boolean' } } });
if (values.train) await import('./charset/train.ts');
const { detectCharset } = await import('../shared/html/charset-model.ts');

await using chromium = await openChromium();
// Valid UTF-8 is UTF-8 without a detector.
const asked = documents().filter(({ bytes }) => !isUtf8(bytes));
const charsets = await chromium.charsetsOf(asked.map(({ bytes }) => bytes));
const answers = asked.map((each, index): Answer => ({ ...each, chromium: charsets[index] ?? '' }));
const agrees = ({ bytes, chromium: shown }: Answer) => isShownAlike(bytes, shown, detectCharset(bytes));
const shareOf = (some: readonly Answer[]) => some.filter(agrees).length / some.length;

console.log(`Chromium ${chromium.version}, ${answers.length} documents`);
const kinds = Map.groupBy(
  answers,
  ({ isHeldOut, charset }) => `${charset}, ${isHeldOut ? 'held out' : 'trained'}`,
);
console.table(
  [...kinds].map(([kind, some]) => ({ kind, documents: some.length, share: rounded(shareOf(some)) })),
);
const heldOut = answers.filter(({ isHeldOut, charset }) => isHeldOut && charset !== 'utf-16le');
assertMet([
  { name: 'pages shown as in Chromium', value: shareOf(answers), atLeast: 0.95 },
  {
    name: 'of these, in legacy charsets and held out of the training',
    value: shareOf(heldOut),
    atLeast: 0.9,
  },
]);

if (values.record) {
  const rows = answers
    .filter((_, index) => index % RECORDED_EVERY === 0)
    .filter(agrees)
    .map(({ language, charset, shape, isHeldOut, chromium: shown }) => [
      ...[language, charset, shape, isHeldOut ? 'held out' : 'trained', shown],
    ]);
  await writeFile(RECORD, JSON.stringify(rows, undefined, 2));
}
