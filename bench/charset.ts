import { isUtf8 } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { charsetOf } from '../shared/html/charsets.ts';
import { detectCharset } from '../shared/html/charset-model.ts';
import { openChromium } from './charset/chromium.ts';
import { type Document, documents } from './charset/documents.ts';
import { isShownAlike } from './charset/shown-alike.ts';

type Detect = (bytes: Uint8Array) => string | null | undefined;
type Answer = Document & { chromium: string };

/** What the libraries call otherwise than https://encoding.spec.whatwg.org/#names-and-labels. */
const NAMES: Record<string, string> = {
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  'iso8859-16': 'iso-8859-16',
  maccyrillic: 'x-mac-cyrillic',
  macroman: 'macintosh',
};
const RECORD = new URL('../test/fixtures/undeclared-pages.json', import.meta.url);
const RECORDED_EVERY = 8;
const WESTERN = 'windows-1252';
const DETECTORS = new URL('detectors/candidates.mjs', import.meta.url).href;

const { values } = parseArgs({ options: { train: { type: 'boolean' }, record: { type: 'boolean' } } });
if (values.train) await import('./charset/train.ts');
const { candidates } = (await import(DETECTORS)) as { candidates: Record<string, Detect> };
const detectors: Record<string, Detect> = {
  'always windows-1252': () => WESTERN,
  ...candidates,
  own: detectCharset,
};

// Valid UTF-8 is UTF-8 without a detector.
const asked = documents().filter(({ bytes }) => !isUtf8(bytes));
const answers = await answersOf(asked);
console.table(tableBy(({ charset }) => charset));
console.table(tableBy(({ isHeldOut }) => (isHeldOut ? 'held out' : 'trained')));
console.table(tableBy(({ shape }) => shape));
console.table(tableBy((answer) => (isReadable(answer) ? 'Chromium reads it right' : 'Chromium misreads it')));
console.table(tableBy(() => 'all'));

if (values.record)
  await record(answers.filter((_, index) => index % RECORDED_EVERY === 0).filter(agrees(detectCharset)));

/** For tests that ask no browser. */
async function record(some: readonly Answer[]): Promise<void> {
  const rows = some.map(({ language, charset, shape, isHeldOut, chromium }) => [
    ...[language, charset, shape, isHeldOut ? 'held out' : 'trained', chromium],
  ]);
  await writeFile(RECORD, JSON.stringify(rows, undefined, 2));
}

async function answersOf(all: readonly Document[]): Promise<Answer[]> {
  await using chromium = await openChromium();
  const charsets = await chromium.charsetsOf(all.map(({ bytes }) => bytes));
  console.log(`Chromium ${chromium.version}, ${all.length} documents without a declaration`);
  return all.map((each, index) => ({ ...each, chromium: charsets[index] ?? '' }));
}

/** The share of documents in which a detector shows the text that Chromium shows. */
function tableBy(kindOf: (answer: Answer) => string): Record<string, Record<string, string | number>> {
  const kinds = Map.groupBy(answers, kindOf);
  return Object.fromEntries(
    [...kinds].map(([kind, some]) => [
      kind,
      {
        documents: some.length,
        ...Object.fromEntries(
          Object.entries(detectors).map(([name, detect]) => [
            name,
            percent(some.filter(agrees(detect)).length, some),
          ]),
        ),
      },
    ]),
  );
}

function agrees(detect: Detect): (answer: Answer) => boolean {
  return ({ bytes, chromium }) => isShownAlike(bytes, chromium, known(detect(bytes)));
}

function isReadable({ bytes, chromium, charset }: Answer): boolean {
  return isShownAlike(bytes, chromium, known(charset));
}

function known(name: string | null | undefined): string {
  const label = (name ?? '').toLowerCase();
  return charsetOf(NAMES[label] ?? label) ?? WESTERN;
}

function percent(part: number, all: readonly unknown[]): string {
  return `${((100 * part) / all.length).toFixed(1)} %`;
}
