import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { format, resolveConfig } from 'prettier';
import { openChromium } from '../../test/support/browser/chromium-charsets.ts';
import { fit, sampleOf } from './fit.ts';
import { isShownAlike } from '../../test/support/browser/undeclared-documents.ts';
import { trainingDocuments } from './training-documents.ts';

const PER_CHARSET = 400;
const CHUNK = 1_000;
/** A charset that Chromium takes for fewer documents is left to the others. */
const MIN_DOCUMENTS = 20;
/** Eight steps for a factor of e in the odds; smaller weights are dropped. */
const SCALE = 8;
/** Charsets that Chromium prefers by the same sequences of letters. */
const GROUPS = [
  /windows-1252|macintosh/,
  /windows-1250|iso-8859-2|iso-8859-16/,
  /windows-1257|iso-8859-13|iso-8859-4|iso-8859-10/,
  /windows-1254|iso-8859-3/,
];

const known = new URL('../../.cache/charset-labels.json', import.meta.url);
const weights = new URL('../../shared/html/charset-weights.ts', import.meta.url);

const all = new Map(trainingDocuments(PER_CHARSET).map((bytes) => [hashOf(bytes), bytes]));
for (const [hash, bytes] of all) if (isUtf8(bytes)) all.delete(hash);
const labels = await labelsOf(all);
const counts = Map.groupBy(labels.values(), (label) => label);
const charsets = [...counts.keys()]
  .filter((label) => (counts.get(label)?.length ?? 0) >= MIN_DOCUMENTS)
  .toSorted();
const groups = charsets.map((charset) => {
  const group = GROUPS.findIndex((some) => some.test(charset));
  return group < 0 ? GROUPS.length : group;
});
const samples = [...all].flatMap(([hash, bytes]) => {
  const label = labels.get(hash) ?? '';
  const right = [...charsets.keys()].filter((index) => isShownAlike(bytes, label, charsets[index] ?? ''));
  return right.length > 0 ? [sampleOf(bytes, right)] : [];
});
console.log(`${samples.length} documents, ${charsets.length} charsets`);
const { single, shared } = fit(samples, charsets, groups);
const bytes = Int8Array.from([...rounded(single), ...rounded(shared)]);
const source = `// Written by \`npm run bench:charset -- --train\` from ${samples.length} documents.
export const CHARSETS = ${JSON.stringify(charsets)};
export const GROUPS = ${JSON.stringify(groups)};
export const WEIGHTS =
  '${deflateRawSync(bytes, { level: 9 }).toString('base64')}';
`;
const filepath = fileURLToPath(weights);
await writeFile(weights, await format(source, { ...(await resolveConfig(filepath)), filepath }));

/** As Chromium answers, which takes a quarter of an hour. Answers are kept for the next run. */
async function labelsOf(documents: ReadonlyMap<string, Uint8Array>): Promise<Map<string, string>> {
  const text = await readFile(known, 'utf8').catch(() => '{}');
  const answers = new Map(Object.entries(JSON.parse(text) as Record<string, string>));
  const open = [...documents].filter(([hash]) => !answers.has(hash));
  await using chromium = await openChromium();
  await mkdir(new URL('.', known), { recursive: true });
  for (let start = 0; start < open.length; start += CHUNK) {
    const some = open.slice(start, start + CHUNK);
    const charsets = await chromium.charsetsOf(some.map(([, bytes]) => bytes));
    some.forEach(([hash], index) => answers.set(hash, charsets[index] ?? ''));
    await writeFile(known, JSON.stringify(Object.fromEntries(answers)));
    console.log(`${start + some.length} of ${open.length} documents`);
  }
  return new Map([...documents.keys()].map((hash) => [hash, answers.get(hash) ?? '']));
}

function rounded(some: ArrayLike<number>): number[] {
  return Array.from(some, (weight) => Math.max(-127, Math.min(127, Math.round(weight * SCALE))));
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('base64').slice(0, 12);
}
